# canary underspec-canary-916fafbd-65d1-5b6e-bb4c-db569887e92e
"""The lending desk of the tool library."""
