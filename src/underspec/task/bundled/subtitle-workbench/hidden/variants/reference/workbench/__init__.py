# canary underspec-canary-1e0e38ae-7613-583d-8a7b-29ff002bc3e9
"""Parts of the subtitle workbench."""
