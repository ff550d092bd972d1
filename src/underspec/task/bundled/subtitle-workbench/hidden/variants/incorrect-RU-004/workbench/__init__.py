# canary underspec-canary-9c837b6d-4565-58a2-acae-e6c8ef379bca
"""Parts of the subtitle workbench."""
