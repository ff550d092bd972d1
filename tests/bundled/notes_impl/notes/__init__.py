"""Nested notes (section 4)."""
