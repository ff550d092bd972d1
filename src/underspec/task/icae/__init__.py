"""Reads the published ICAE-Bench data as it is laid out in a checkout, and makes one of our task folders of each task.

The published files are read as they are: byte order marks, typos, contradictions, ids that differ between levels and
keys that nobody documented included. What our own format has no place for is kept in ``hidden/import.json``.
"""
