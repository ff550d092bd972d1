# canary underspec-canary-9bfeb7da-9623-50ed-979b-57a072c121df
"""The settlement of deliveries."""
