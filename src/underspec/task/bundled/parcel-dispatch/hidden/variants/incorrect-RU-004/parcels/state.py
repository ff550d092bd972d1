# canary underspec-canary-408a31a0-8b93-570f-ba1b-b178c3ad88ee
"""What is remembered from run to run."""

import json
import os

SENT = "sent"


class StateProblem(Exception):
    pass


class State:
    """By order number: ``sent``, or the fingerprint of the line that was rejected."""

    def __init__(self, path):
        self._path = path
        self._known = {}
        try:
            with open(path, encoding="utf-8") as stream:
                self._known = json.load(stream)
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as problem:
            raise StateProblem(f"{path}: cannot be understood") from problem
        if not isinstance(self._known, dict):
            raise StateProblem(f"{path}: cannot be understood")

    def is_waiting(self, order):
        known = self._known.get(order.number)
        return known not in (SENT, order.fingerprint)

    def sent(self, order):
        self._note(order, SENT)

    def rejected(self, order):
        self._note(order, order.fingerprint)

    def _note(self, order, what):
        self._known[order.number] = what
        self._save()

    def _save(self):
        with open(self._path + ".new", "w", encoding="utf-8") as stream:
            json.dump(self._known, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(self._path + ".new", self._path)
