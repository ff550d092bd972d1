"""Judging requirement answers: the rubric and how a judge's document is read. No model is called here."""
