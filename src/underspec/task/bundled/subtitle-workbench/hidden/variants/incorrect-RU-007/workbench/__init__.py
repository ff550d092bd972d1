# canary underspec-canary-da2d5098-7a9c-53f5-967d-3fd5b0642548
"""Parts of the subtitle workbench."""
