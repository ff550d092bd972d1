"""Is a question English? By script and function words; nothing else is known of other languages here."""

from __future__ import annotations

from underspec.stakeholder.words import STOP_WORDS, lexicon, words

_FOREIGN = frozenset(word for line in lexicon("foreign") for word in line.split())
_SHORT = 4  # words: here one foreign word is enough
_ENGLISH = STOP_WORDS - _FOREIGN


def is_foreign(text: str) -> bool:
    """Whether the question is in another language than English, as far as one can tell."""
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return False
    if sum(ord(letter) > 0x24F for letter in letters) >= 0.2 * len(letters):
        return True
    said = words(text)
    foreign = sum(word in _FOREIGN for word in said)
    marked = sum(any(ord(letter) > 0x7F for letter in word) for word in said)
    english = sum(word in _ENGLISH for word in said)
    return foreign + marked > english and (foreign + marked >= 2 or len(said) <= _SHORT)
