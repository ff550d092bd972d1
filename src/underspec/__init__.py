"""Underspec measures how well coding agents build software from requests that leave things out."""

__version__ = "0.1.0"
