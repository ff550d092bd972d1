"""One suite of checks that every sandbox backend must pass, shipped with the package.

``underspec doctor --conformance`` runs it, and so do the tests, for each backend. Whoever writes a backend runs
:func:`underspec.sandbox.conformance.suite.run_suite` on it.
"""
