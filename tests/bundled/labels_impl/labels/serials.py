"""Serial numbers."""

import string

_COUNTS = string.ascii_letters + string.digits
_AGAIN = {"z": "a", "Z": "A", "9": "0"}


def following(text: str) -> str:
    """The serial that comes next."""
    signs = list(text)
    places = [place for place, sign in enumerate(signs) if sign in _COUNTS]
    if not places:
        return text[:-1] + chr(ord(text[-1]) + 1) if text else text
    for place in reversed(places):
        sign = signs[place]
        if sign not in _AGAIN:
            signs[place] = chr(ord(sign) + 1)
            return "".join(signs)
        signs[place] = _AGAIN[sign]
    signs.insert(places[0], signs[places[0]])
    return "".join(signs)
