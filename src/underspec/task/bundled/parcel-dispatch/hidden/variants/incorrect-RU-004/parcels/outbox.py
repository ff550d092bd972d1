# canary underspec-canary-1b6ce211-d620-5941-8177-25048ca10385
"""Orders as they stand in the outbox."""

import csv
import datetime
import hashlib
import io
import re
from decimal import ROUND_CEILING, Decimal, InvalidOperation

HEADER = ["order", "service", "promised", "weight_kg", "recipient", "place"]
MOST = Decimal("31.5")
STEP = 100
NEVER = "9999-99-99"


class OutboxProblem(Exception):
    pass


def grams_of(kilograms):
    hundreds = (kilograms * 1000 / STEP).to_integral_value(ROUND_CEILING)
    return int(hundreds) * STEP


def pieces(number):
    """Text and numbers in turns, so that digits are compared as numbers."""
    return [int(piece) if piece.isdigit() else piece for piece in re.split(r"([0-9]+)", number)]


class Order:
    def __init__(self, values):
        self.number, self.service, self.promised, self.weight, self.recipient, self.place = values
        self.fingerprint = hashlib.sha256("\0".join(values).encode()).hexdigest()
        self.kilograms = self._kilograms()
        self.problem = self._problem()

    @property
    def is_sound(self):
        return self.problem is None

    @property
    def sequence(self):
        return self.service != "express", self.promised or NEVER, self.number

    @property
    def key(self):
        return f"{self.number}.{self.fingerprint[:32]}"

    @property
    def body(self):
        return {
            "order": self.number,
            "service": self.service,
            "grams": grams_of(self.kilograms),
            "recipient": self.recipient,
            "place": self.place,
        }

    def _kilograms(self):
        try:
            value = Decimal(self.weight.replace(",", "."))
        except InvalidOperation:
            return None
        return value if value.is_finite() and value > 0 else None

    def _problem(self):
        if not (self.number and self.recipient and self.place) or self.service not in ("express", "standard"):
            return "bad_order"
        if self.promised and not self._is_day():
            return "bad_order"
        if self.kilograms is None:
            return "bad_weight"
        return "too_heavy" if self.kilograms > MOST else None

    def _is_day(self):
        try:
            return datetime.date.fromisoformat(self.promised).isoformat() == self.promised
        except ValueError:
            return False


def read_outbox(path):
    try:
        with open(path, "rb") as stream:
            text = stream.read().decode("utf-8-sig")
    except OSError as problem:
        raise OutboxProblem(f"{path}: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise OutboxProblem(f"{path}: is not UTF-8") from problem
    rows = [[value.strip() for value in row] for row in csv.reader(io.StringIO(text, newline=""), delimiter=";")]
    if not rows or rows[0] != HEADER:
        raise OutboxProblem(f"{path}: has not the header {';'.join(HEADER)}")
    width = len(HEADER)
    return [Order((row + [""] * width)[:width]) for row in rows[1:] if any(row)]
