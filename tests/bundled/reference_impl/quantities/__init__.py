"""Amounts of digital data: a library without input and output."""
