# canary underspec-canary-11614bcf-8cc5-5335-afb1-0db15efc98d8
"""Parts of the subtitle workbench."""
