"""Failures of the library, each a type of its own."""


class Failure(Exception):
    """Base of all failures."""


class MissingUnit(Failure):
    """A text without a letter."""


class UnknownUnit(Failure):
    """A name that no unit has."""


class BadNumber(Failure):
    """A number that cannot be read."""


class BadTemplate(Failure):
    """A template that cannot be carried out."""


class BadOperand(Failure):
    """An operand that bits cannot be combined with."""


class Unsupported(Failure):
    """An operation that is not defined for these operands."""
