"""Marks that move with the text that they are on."""
