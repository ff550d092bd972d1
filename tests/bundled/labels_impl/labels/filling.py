"""Filling, widths and tabs."""


def _fill(fill: str, length: int) -> str:
    return (fill * (length // len(fill) + 1))[:length]


def justify(text: str, side: str, length: int, fill: str) -> str:
    """Fill a text up to a length."""
    missing = length - len(text)
    if missing <= 0 or not fill:
        return text
    left = {"left": 0, "right": missing, "middle": missing // 2}[side]
    return _fill(fill, left) + text + _fill(fill, missing - left)


def _columns(sign: str) -> int:
    code = ord(sign)
    if code < 0x20:
        return 0
    return 1 if code < 0x2000 or 0xFF61 <= code < 0xFFA0 else 2


def width(text: str) -> int:
    """The columns that a text takes."""
    return sum(map(_columns, text))


def tabs(text: str, size: int) -> str:
    """Blanks in the place of tabs."""
    out, column = [], 0
    for sign in text:
        if sign == "\t":
            blanks = size - column % size
            out.append(" " * blanks)
            column += blanks
        else:
            out.append(sign)
            column = 0 if sign == "\n" else column + _columns(sign)
    return "".join(out)
