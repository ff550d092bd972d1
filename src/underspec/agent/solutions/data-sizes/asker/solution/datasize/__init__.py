"""Amounts of digital data."""
