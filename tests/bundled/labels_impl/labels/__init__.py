"""Texts of labels."""
