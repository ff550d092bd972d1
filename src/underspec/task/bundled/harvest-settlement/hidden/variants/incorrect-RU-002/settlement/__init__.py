# canary underspec-canary-f39bf5ea-5710-5899-bc17-5dbe0c962804
"""The settlement of deliveries."""
