"""What can be wrong with a line, a clock or a moment."""


class PartCount(Exception):
    """Fewer than five or more than seven parts."""


class BadPiece(Exception):
    """A piece in no known form."""


class OutOfRange(Exception):
    """A number outside its part's range."""


class BadRange(Exception):
    """A range that leaves its part or runs backwards."""


class BadOrdinal(Exception):
    """No digit from 1 to 5 behind ``#``."""


class WideStep(Exception):
    """A line with warnings, where none are wanted."""


class BadOffset(Exception):
    """No clock that is known."""


class BadTime(Exception):
    """No moment that can be read."""
