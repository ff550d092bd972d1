# canary underspec-canary-a15d676c-183e-5c63-b76b-6ba2e4976607
"""Parts of the subtitle workbench."""
