# canary underspec-canary-dd9a1181-8f56-5fc9-b8d6-3479f1b752d1
"""Parts of the subtitle workbench."""
