"""What can go wrong with samples and moments."""


class Failure(Exception):
    """Base of all failures of the core."""


class BadMoment(Failure):
    """A moment cannot be read."""


class NoMeaning(Failure):
    """A number of the sample is left without anything to stand for."""
