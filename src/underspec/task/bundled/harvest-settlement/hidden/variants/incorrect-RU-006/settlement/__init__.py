# canary underspec-canary-2ec5d1d6-c0a6-5cff-a58e-a50de4c8c979
"""The settlement of deliveries."""
