"""Clarify first: from the first question to a label."""
