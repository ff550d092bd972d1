"""Recurring times: lines, days, moments, clocks, warnings."""
