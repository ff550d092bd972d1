# canary underspec-canary-235260ff-77e7-5c17-9c10-8b6418cad6d6
"""The parcel automation."""
