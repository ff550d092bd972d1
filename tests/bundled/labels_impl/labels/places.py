"""Places in a text, marks, and words."""


class OutOfRange(Exception):
    """A place lies outside of the text."""


def cut(text: str, start: int, end: int) -> str:
    """From the start up to but without the end; to the end of the text when it is negative."""
    if start < 0 or 0 <= end < start or end > len(text):
        raise OutOfRange
    return text[start:] if end < 0 else text[start:end]


def insert(text: str, piece: str, at: int) -> str:
    """Put a piece in front of a character."""
    if not 0 <= at <= len(text):
        raise OutOfRange
    return text[:at] + piece + text[at:]


def split(text: str, mark: str, last: bool) -> tuple[str, str, str]:
    """What is in front of the mark, the mark, and what is behind."""
    if not mark:
        return (text, "", "") if last else ("", "", text)
    head, match, tail = text.rpartition(mark) if last else text.partition(mark)
    return head, match, tail


def _is_letter(sign: str) -> bool:
    code = ord(sign)
    chinese = 0x3400 <= code <= 0x4D85 or 0x4E00 <= code <= 0x9FCC or 0x20000 <= code <= 0x2B81D
    return sign.isalpha() and not chinese


def words(text: str) -> list[str]:
    """The words of a text."""
    found, word = [], ""
    for sign in text + " ":
        if _is_letter(sign) or (word and sign in "'-"):
            word += sign
        elif word:
            found.append(word)
            word = ""
    return found
