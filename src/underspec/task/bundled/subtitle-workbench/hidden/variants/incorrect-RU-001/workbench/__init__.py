# canary underspec-canary-8f811ae0-e4e7-5365-b55a-87fd08bb7779
"""Parts of the subtitle workbench."""
