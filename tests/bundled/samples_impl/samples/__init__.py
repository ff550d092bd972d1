"""Dates written like a sample."""
