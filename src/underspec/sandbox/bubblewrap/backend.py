"""What the bubblewrap backend offers to the rest of the package."""

from __future__ import annotations

from underspec.errors import EnvironmentLacksError, UsageError
from underspec.sandbox.bubblewrap.checks import machine_checks
from underspec.sandbox.bubblewrap.host import host_digest
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
            EnvironmentLacksError: there is no such image.
            UsageError: something is asked for that this backend does not offer.
        """
        self.image_digest(spec.image)
        if spec.network != "none":
            raise UsageError(
                f"the bubblewrap backend does not offer the network {spec.network!r}",
                mend="use the network 'none'",
            )
        return BubblewrapSandbox(spec)

    def image_digest(self, image: str) -> str:
        """The digest of an image.

        Raises:
            EnvironmentLacksError: there is no such image.
        """
        if image != "host":
            raise EnvironmentLacksError(
                f"there is no image {image!r} for the bubblewrap backend",
                mend="the only image so far is `host`, the machine's own /usr",
            )
        return host_digest()

    def reap(self) -> list[str]:
        """Remove what dead owners of ours left behind; returns the ids removed."""
        return reap()
