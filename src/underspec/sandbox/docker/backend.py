"""What the docker backend offers to the rest of the package."""

from __future__ import annotations

from dataclasses import replace

from underspec.errors import UsageError
from underspec.sandbox.bubblewrap.roots import root_digest, root_environment
from underspec.sandbox.bubblewrap.state import reap
from underspec.sandbox.docker.checks import engine_checks
from underspec.sandbox.docker.leftovers import reap_containers
from underspec.sandbox.docker.sandbox import DockerSandbox
from underspec.sandbox.protocol import Check, Sandbox, SandboxSpec


class DockerBackend:
    """See :class:`underspec.sandbox.protocol.SandboxBackend`."""

    name = "docker"

    def checks(self) -> list[Check]:
        """What this machine and its engine can and cannot do."""
        return engine_checks()

    def create(self, spec: SandboxSpec) -> Sandbox:
        """A sandbox, not yet started.

        Raises:
            EnvironmentLacksError: there is no such image; says how to make it.
            StoreError: it is damaged.
            UsageError: something is asked for that this backend does not offer.
        """
        environment = root_environment(spec.image)
        if spec.network != "none":
            raise UsageError(
                f"the docker backend does not offer the network {spec.network!r}", mend="use the network 'none'"
            )
        return DockerSandbox(replace(spec, env={**environment, **spec.env}))

    def image_digest(self, image: str) -> str:
        """The digest of an image.

        Raises:
            EnvironmentLacksError: there is no such image; says how to make it.
            StoreError: it is damaged.
        """
        return root_digest(image)

    def reap(self) -> list[str]:
        """Remove what dead owners of ours left behind; returns the ids removed."""
        return sorted({*reap_containers(), *reap()})
