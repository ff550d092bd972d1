"""Inspect attaches to a sandbox that a phase owns.

The only files of this room that import Inspect. A phase starts a sandbox, enters :func:`~.attach.attached`, and within
it ``inspect_ai.util.sandbox()`` is that sandbox: tools, agents and the model bridge work in it. Inspect never makes one
and never removes one.
"""
