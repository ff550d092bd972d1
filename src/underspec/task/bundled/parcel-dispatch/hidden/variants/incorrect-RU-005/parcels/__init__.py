# canary underspec-canary-be87d7ab-f455-562e-a874-ff6f898aceb1
"""The parcel automation."""
