"""The docker backend: sandboxes in containers of any engine with Docker's API on this machine."""

from underspec.sandbox.docker.backend import DockerBackend

__all__ = ["DockerBackend"]
