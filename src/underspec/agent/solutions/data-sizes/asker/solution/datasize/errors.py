"""What can go wrong in the library. Which word a caller sees for it is the adapter's business."""


class DataSizeError(Exception):
    """Base of all failures."""


class BadRequest(DataSizeError):
    """The request has not the shape that the operation needs."""


class UnknownAction(DataSizeError):
    """No such operation."""


class UnknownSystem(DataSizeError):
    """Neither binary nor decimal."""


class UnknownUnit(DataSizeError):
    """No unit has that name."""


class MissingUnit(DataSizeError):
    """A text without any unit."""


class BadNumber(DataSizeError):
    """The number in a text cannot be read."""


class BadTemplate(DataSizeError):
    """A template that cannot be carried out."""


class BadOperand(DataSizeError):
    """No usable mask or distance."""


class Unsupported(DataSizeError):
    """The operation has no meaning for these operands."""


class DivisionByZero(DataSizeError):
    """The divisor is zero."""


class OutOfRange(DataSizeError):
    """The result is no finite number."""
