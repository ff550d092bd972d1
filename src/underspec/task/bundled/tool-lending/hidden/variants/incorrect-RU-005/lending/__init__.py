# canary underspec-canary-78279d15-9f1f-50ac-8555-a581ef81009a
"""The lending desk of the tool library."""
