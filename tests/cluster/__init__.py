"""Tests of the Ray executor, on a cluster of several nodes in a network of its own."""
