# canary underspec-canary-ab49b216-54c6-5c96-88ef-7c7ecaa8713b
"""The parcel automation."""
