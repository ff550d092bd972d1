"""The keeper: one small process per sandbox that owns it from outside and outlives nothing.

These modules run in a bare interpreter (``python -I -S``) that must be up in milliseconds, as root or as an ordinary
user, beside code that must not be trusted. So they import little of the standard library and nothing heavy
(``json``, ``socket``, ``signal``, ``re``, ``typing`` and ``dataclasses`` together would double the start), and nothing
of the rest of the package. The other side, which talks to a keeper, is :mod:`underspec.sandbox.bubblewrap`.
"""
