"""Tests of the task room."""
