"""What the bubblewrap backend offers to the rest of the package."""

from __future__ import annotations

from dataclasses import replace

from underspec.errors import UsageError
from underspec.sandbox.bubblewrap.checks import machine_checks
from underspec.sandbox.bubblewrap.roots import root_digest, root_environment
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.bubblewrap.state import reap
from underspec.sandbox.protocol import Check, Sandbox, SandboxSpec


class BubblewrapBackend:
    """See :class:`underspec.sandbox.protocol.SandboxBackend`."""

    name = "bubblewrap"

    def checks(self) -> list[Check]:
        """What this machine can and cannot do."""
        return machine_checks()

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
                f"the bubblewrap backend does not offer the network {spec.network!r}",
                mend="use the network 'none'",
            )
        return BubblewrapSandbox(replace(spec, env={**environment, **spec.env}))

    def image_digest(self, image: str) -> str:
        """The digest of an image.

        Raises:
            EnvironmentLacksError: there is no such image; says how to make it.
            StoreError: it is damaged.
        """
        return root_digest(image)

    def reap(self) -> list[str]:
        """Remove what dead owners of ours left behind; returns the ids removed."""
        return reap()
