"""Writes a moment like a sample."""

from datetime import datetime

from samples.sample import Piece
from samples.words import MONTHS, WEEKDAYS


def write(pieces: list[Piece], at: datetime) -> str:
    """The moment, with everything else of the sample around it."""
    return "".join(_one(*piece.choices[0], at) if piece.choices else piece.text for piece in pieces)


def _one(field: str, form: str, at: datetime) -> str:
    if form in ("name", "short"):
        name = MONTHS[at.month - 1] if field == "month" else WEEKDAYS[at.weekday()]
        return name if form == "name" else name[:3]
    if field == "half":
        half = "am" if at.hour < 12 else "pm"
        return half if form == "small" else half.upper()
    if field == "zone":
        minutes = int(at.utcoffset().total_seconds()) // 60
        return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    number = getattr(at, field)
    if form == "ordinal":
        return f"{number}{_ending(number)}"
    if form.endswith("twelve"):
        number = number % 12 or 12
    return f"{number % 100:02}" if form.startswith("two") else str(number)


def _ending(day: int) -> str:
    return "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
