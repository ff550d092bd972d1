# canary underspec-canary-5e79b8d0-8747-516d-9f66-69619489e8d1
"""The settlement of deliveries."""
