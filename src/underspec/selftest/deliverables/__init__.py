"""A corpus of deliverables, honest and hostile, made by functions so that nothing strange lies in the repository."""
