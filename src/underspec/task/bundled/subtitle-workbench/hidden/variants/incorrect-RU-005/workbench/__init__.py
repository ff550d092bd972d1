# canary underspec-canary-3570fb83-32f6-5685-b809-d7a02ecd24d1
"""Parts of the subtitle workbench."""
