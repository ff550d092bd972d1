# canary underspec-canary-6b7ac2bd-c45f-5dbc-8b78-9157b3b3b365
"""The parcel automation."""
