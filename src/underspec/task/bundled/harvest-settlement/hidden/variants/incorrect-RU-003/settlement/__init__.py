# canary underspec-canary-60847c68-4539-57cf-9704-d3b81d26a482
"""The settlement of deliveries."""
