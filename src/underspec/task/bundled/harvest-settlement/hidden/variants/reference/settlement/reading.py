# canary underspec-canary-f7b61332-ec1b-54e3-929e-906b1f2ee32a
"""Tables as they come: found by column names, with the line that each row stands in."""

import csv
import datetime
import io
import re
from fractions import Fraction

NUMBER = re.compile(r"(\d+|\d{1,3}(?:\.\d{3})+)(?:,(\d+))?")
WEIGHT = re.compile(r"(?P<number>[\d.,]+) ?(?P<unit>kg|t)")
KILOGRAMS = {"kg": 1, "t": 1000}
DELIVERY = ("ticket", "day", "grower", "variety", "weight", "moisture")
PRICE = ("variety", "from", "price")


class FileProblem(Exception):
    pass


def number(text):
    found = NUMBER.fullmatch(text)
    if not found:
        raise ValueError(text)
    return Fraction(f"{found[1].replace('.', '')}.{found[2] or 0}")


def day(text):
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        raise ValueError(text)
    return datetime.date.fromisoformat(text)


def kilograms(text):
    found = WEIGHT.fullmatch(text)
    if not found:
        raise ValueError(text)
    return number(found["number"]) * KILOGRAMS[found["unit"]]


def moisture(text):
    value = number(text)
    if value >= 100:
        raise ValueError(text)
    return value


def rows_of(path, columns):
    """Line numbers and values by column name."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as problem:
        raise FileProblem(f"{path}: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise FileProblem(f"{path}: is not UTF-8") from problem
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    header = [name.strip() for name in next(reader, [])]
    for column in columns:
        if column not in header:
            raise FileProblem(f"{path}: there is no column {column}")
    before = reader.line_num
    for values in reader:
        line, before = before + 1, reader.line_num
        if any(value.strip() for value in values):
            padded = values + [""] * len(header)
            yield line, {column: padded[header.index(column)].strip() for column in columns}


def read_deliveries(path):
    return list(rows_of(path, DELIVERY))


def read_prices(path):
    """By variety, days and prices."""
    prices = {}
    for line, row in rows_of(path, PRICE):
        try:
            prices.setdefault(row["variety"], []).append((day(row["from"]), number(row["price"])))
        except ValueError:
            raise FileProblem(f"{path}: line {line} is damaged") from None
    return prices
