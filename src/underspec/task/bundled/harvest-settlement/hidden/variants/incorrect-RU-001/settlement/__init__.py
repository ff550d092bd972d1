# canary underspec-canary-403b8aaa-81b0-582f-a764-528e7a50b5fa
"""The settlement of deliveries."""
