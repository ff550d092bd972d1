# canary underspec-canary-94f8291d-633f-5b2c-9a2d-f57d0bbf8afc
"""The lending desk of the tool library."""
