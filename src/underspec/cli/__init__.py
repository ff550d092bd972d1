"""The command line. Results on stdout, everything else on stderr; exit codes 0, 1, 2 and 3 (design section 10)."""

from underspec.cli.app import main

__all__ = ["main"]
