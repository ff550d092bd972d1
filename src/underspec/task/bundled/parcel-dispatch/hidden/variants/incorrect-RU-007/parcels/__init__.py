# canary underspec-canary-25ea88c1-a0e7-5577-b871-b9cc32e44e84
"""The parcel automation."""
