# canary underspec-canary-a9ddabd9-3262-5f4a-b1c1-0bc5559ac0ac
"""The parcel automation."""
