"""How numbers are written."""

import math

from .errors import OutOfRange
from .settings import setting


def figure(number):
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        raise OutOfRange()
    text = "{:.{}f}".format(number, setting("output.digits"))
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
