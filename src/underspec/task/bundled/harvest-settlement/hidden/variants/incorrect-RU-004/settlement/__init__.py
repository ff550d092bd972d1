# canary underspec-canary-ffa95e9b-b6b5-5813-a40a-42eee876eec7
"""The settlement of deliveries."""
