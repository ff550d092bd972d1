"""Storms: runs that are hurt at random points, and must end as a calm one does.

``python -m tests.chaos --rounds 200 --seed 1`` runs any number of rounds and prints what was done, as JSON.
"""
