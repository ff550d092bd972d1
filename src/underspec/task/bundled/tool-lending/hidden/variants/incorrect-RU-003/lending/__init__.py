# canary underspec-canary-61cbb321-7ff9-55ab-ad57-59dcba692bca
"""The lending desk of the tool library."""
