"""The lending desk of the tool library."""
