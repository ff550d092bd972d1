"""Starts measuring lines in every Python process of a sandbox whose environment names a configuration."""

import coverage  # type: ignore[import-not-found]

coverage.process_startup()
