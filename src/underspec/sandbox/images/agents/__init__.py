"""Agent layers: an agent's program with its own runtime, in a folder that is shown read-only in any image.

A task's image holds what the task's language needs, and an agent must be able to build tasks of every language. So its
program is no part of an image: it lies in a layer of its own, which a sandbox mounts below ``/opt/underspec/agents``. A
layer is made once, of registry packages that are named by version and hash, and downloads nothing at run time.
"""
