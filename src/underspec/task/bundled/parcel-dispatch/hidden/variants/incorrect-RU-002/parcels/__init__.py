# canary underspec-canary-f53a7d94-7fc5-5011-8f21-ad1ad1bc2855
"""The parcel automation."""
