"""Quantities of digital data."""
