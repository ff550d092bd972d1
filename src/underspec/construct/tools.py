"""Programs of others that gates use inside sandboxes, pinned by hash and shown read-only: never installed anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from underspec.errors import GoldenError
from underspec.sandbox.protocol import Mount
from underspec.task.golden import fetch_golden
from underspec.task.model import GoldenToml

KIT = Path(__file__).parent / "kit"
KIT_INSIDE: Final = "/opt/construct"
_WHEELS: Final = "/opt/wheels"
_CLOCK: Final = "/opt/clock"
# Where Debian's package puts it, on machines that have it installed.
_INSTALLED = ("/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime", "/usr/lib/faketime")


def wheel(name: str, version: str, filename: str, sha256: str) -> GoldenToml:
    """A Python wheel of the registry."""
    return GoldenToml(registry="pypi", name=name, version=version, filename=filename, sha256=sha256)


def _pure(name: str, version: str, sha256: str) -> GoldenToml:
    return wheel(name, version, f"{name}-{version}-py3-none-any.whl", sha256)


PYTEST: Final = (
    _pure("iniconfig", "2.1.0", "9deba5723312380e77435581c6bf4935c94cbfab9b1ed33ef8d238ea168eb760"),
    _pure("packaging", "25.0", "29572ef2b1f17581046b3a2227d5c611fb25ec70ca1ba8554b24b0e69331a484"),
    _pure("pluggy", "1.6.0", "e920276dd6813095e9377c0bc5566d94c932c33b27a3e3945d8389c374dd4746"),
    _pure("pygments", "2.19.2", "86540386c03d588bb81d44bc3928634ff26449851e99741617ecb9037ee5ec0b"),
    _pure("pytest", "8.4.2", "872f880de3fc3a5bdc88a11b39c9710c3497a547cfa9320bc3c5e62fbf272e79"),
)
COVERAGE: Final = (_pure("coverage", "7.10.7", "f7941f6f2fe6dd6807a1208737b8a0cbcf1cc6d7b07d24998ad2d63590868260"),)
_FAKETIME: Final = (
    GoldenToml(
        registry="deb",
        name="libfaketime",
        version="0.9.10-2.1",
        filename="libfaketime_0.9.10-2.1_amd64.deb",
        sha256="b09481e7690680966005330c3f907bba4b5eefc35e1faaea4783cc55655d1150",
    ),
)


def wheels_mounted(wheels: tuple[GoldenToml, ...]) -> tuple[tuple[Mount, ...], str]:
    """Mounts of unpacked wheels, and the ``PYTHONPATH`` that finds them.

    Raises:
        GoldenError: one cannot be fetched; the mend says which file to put where.
    """
    mounts = tuple(Mount(source=fetch_golden(one), target=f"{_WHEELS}/{one.name}") for one in wheels)
    return mounts, ":".join(mount.target for mount in mounts)


def clock_mounted() -> tuple[Mount, str] | None:
    """A library that shifts the clock of whatever preloads it, and its path inside; None where it cannot be had."""
    for place in _INSTALLED:
        if (Path(place) / "libfaketime.so.1").is_file():
            return Mount(source=Path(place), target=_CLOCK), f"{_CLOCK}/libfaketime.so.1"
    for package in _FAKETIME:
        try:
            root = fetch_golden(package)
        except GoldenError:
            continue  # the gate says that the clock was not varied
        for folder in sorted(root.glob("usr/lib/*/faketime")):
            return Mount(source=folder, target=_CLOCK), f"{_CLOCK}/libfaketime.so.1"
    return None


def kit_mounted() -> Mount:
    """Our own programs for sandboxes."""
    return Mount(source=KIT, target=KIT_INSIDE)
