"""What can go wrong with trees and paths."""


class Failure(Exception):
    """Base of all failures of the core."""


class BadPath(Failure):
    """A path is the empty text."""


class NoPath(Failure):
    """Nothing is there."""


class Blocked(Failure):
    """A value that is no container stands in the way of a change."""


class NotMap(Failure):
    """What is there cannot stand as a tree of its own."""
