"""Whether an installation can be fooled: hostile work beside honest twins, judged by the real parts.

``underspec selftest`` runs it on this machine. Each hostile piece must come to what it deserves, and the honest one
beside it to its full worth, so that a defence that costs honest work fails as one that lets hostile work through.
"""
