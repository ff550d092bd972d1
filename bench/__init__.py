"""The project's own figures. ``make bench`` prints them as one JSON document.

Machines are noisy, so what can be is measured as a ratio within one run; each figure is the median of several rounds.
"""
