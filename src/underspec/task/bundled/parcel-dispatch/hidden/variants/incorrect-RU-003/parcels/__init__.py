# canary underspec-canary-6b949dd4-71b7-5c67-9cd5-f4e33c563273
"""The parcel automation."""
