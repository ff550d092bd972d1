"""The bubblewrap backend: sandboxes without a daemon, as root or as an ordinary user."""

from underspec.sandbox.bubblewrap.backend import BubblewrapBackend

__all__ = ["BubblewrapBackend"]
