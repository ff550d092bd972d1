# canary underspec-canary-33d6c86f-c703-5f8b-995d-dcaf0826574e
"""The lending desk of the tool library."""
