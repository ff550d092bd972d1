# canary underspec-canary-c72c2577-1d3b-5156-97c3-5ff0c359761d
"""The lending desk of the tool library."""
