# canary underspec-canary-f6287431-d93e-52bf-b8cd-0f3b93efecc9
"""The settlement of deliveries."""
