# canary underspec-canary-80cf8fd7-e448-5c37-b3b3-5ccf7168064c
"""The lending desk of the tool library."""
