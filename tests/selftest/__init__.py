"""Tests of the selftest: that it finds what is wrong, and wants nothing wrong of honest work."""
