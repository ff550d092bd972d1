"""Tests of the way from a client's conversation to a commission."""
