"""What can go wrong, each with the neutral word that callers see."""


class SizeError(Exception):
    word = "invalid_request"


class UnknownAction(SizeError):
    word = "unknown_action"


class UnknownUnit(SizeError):
    word = "unknown_unit"


class BadNumber(SizeError):
    word = "invalid_number"


class BadTemplate(SizeError):
    word = "invalid_template"


class DivisionByZero(SizeError):
    word = "division_by_zero"
