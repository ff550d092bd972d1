"""Shown to sandboxes, where a Python process starts with it."""
