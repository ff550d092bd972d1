# canary underspec-canary-254d05ad-2061-5192-8d6c-5eff0e422a9f
"""The carrier as the tests play it, and runs of the program."""

import json
import threading
import time

from delivery import Answer

PORT = 9100
COMMAND = (
    "python3", "dispatch.py", "--outbox", "outbox.csv", "--state", "state.db", "--summary", "summary.json",
    "--url", f"http://127.0.0.1:{PORT}",
)
HEADER = "order;service;promised;weight_kg;recipient;place"


def line(order, service="standard", promised="2024-05-02", weight="1.0", recipient="Ada", place="Elm St 1"):
    return ";".join((order, service, promised, weight, recipient, place))


class Carrier:
    """Answers 201, or what ``script`` has for an order: a list of answers, the last of which stays."""

    def __init__(self, delivery, **script):
        self.delivery = delivery
        self.script = {order.replace("_", "-"): list(answers) for order, answers in script.items()}
        self.fake = delivery.fake(PORT, self.answer)
        self.taken = 0
        self.held, self.gate = None, threading.Event()

    def answer(self, request):
        assert (request.method, request.path) == ("POST", "/parcels"), request
        if request.json()["order"] == self.held:
            self.gate.wait(30)
            return Answer(0)
        answers = self.script.get(request.json()["order"])
        if not answers:
            return Answer(201, {"parcel": f"P-{request.json()['order']}"})
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def run(self, *lines, header=HEADER, pause=1, outbox=None):
        """Exit code and summary (None when there is none) of one run."""
        self.delivery.run("rm", "-f", "summary.json")
        text = "\n".join((header, *lines)) + "\n" if outbox is None else outbox
        return self.again(files={"outbox.csv": text}, pause=pause)

    def again(self, files=None, pause=1):
        self.end = self.delivery.run(*COMMAND, "--pause-ms", str(pause), files=files)
        summary = self.delivery.read("summary.json")
        return self.end.exit_code, None if summary is None else json.loads(summary)

    def run_and_kill_at(self, order, *lines):
        """Kill the program while it waits for the answer about an order; returns the requests."""
        self.held = order
        running = self.delivery.start(*COMMAND, files={"outbox.csv": "\n".join((HEADER, *lines)) + "\n"})
        until = time.monotonic() + 15
        while not any(request.json()["order"] == order for request in self.fake.requests[self.taken :]):
            assert time.monotonic() < until and not running.ended, "the order was not sent"
            time.sleep(0.01)
        running.kill()
        self.held = None
        self.gate.set()
        return self.news()

    def news(self):
        """Requests since the last look."""
        new = self.fake.requests[self.taken :]
        self.taken += len(new)
        return new

    def orders(self):
        return [request.json()["order"] for request in self.news()]
