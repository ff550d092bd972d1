"""What can be wrong with a request, as the core sees it."""


class MarksFailure(Exception):
    """Base of all failures."""


class BadRequest(MarksFailure):
    """The request has the wrong shape."""


class UnknownAction(MarksFailure):
    """There is no such action."""


class BadPlace(MarksFailure):
    """Not two whole numbers within the bounds."""


class BadRange(MarksFailure):
    """The end lies before the beginning."""


class TakenMark(MarksFailure):
    """There is a mark of this id."""


class NoMark(MarksFailure):
    """There is no mark of this id."""
