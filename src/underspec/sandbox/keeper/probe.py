"""Try, in a process of its own that changes nothing outside itself, what a sandbox will need.

Started like a keeper. Prints one line for each thing tried: its name, ``ok`` or ``no``, and a detail.
"""

from __future__ import annotations

import os
import sys

from underspec.sandbox.keeper import identity, kernel
from underspec.sandbox.keeper.ground import STAGE, Ground, make_shown
from underspec.sandbox.keeper.groups import Group, find_place
from underspec.sandbox.keeper.init import Init
from underspec.sandbox.keeper.seccomp import build_filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MIB = 1024**2


def main() -> None:
    """Try everything; what builds on something that failed is not tried."""
    kernel.become_subreaper()
    for controller in ("memory", "pids", "cpu"):
        _try(f"limit-{controller}", _try_group, controller)
    _try("seccomp", _try_seccomp)
    ground = _try("namespaces", _try_namespaces)
    if not isinstance(ground, Ground):
        return
    _try("idmapped", _try_idmapped, ground)
    if _try("tmpfs", _try_tmpfs, ground) is not None:
        _try("overlay", _try_overlay, ground)


def _try(name: str, what: Callable[..., object], *arguments: object) -> object:
    try:
        result = what(*arguments)
    except (OSError, KeyError) as error:
        _say(name, "no", str(error))
        return None
    _say(name, "ok", result if isinstance(result, str) else "works")
    return result


def _say(name: str, verdict: str, detail: str) -> None:
    sys.stdout.write(f"{name}\t{verdict}\t{' '.join(detail.split())}\n")
    sys.stdout.flush()


def _try_group(controller: str) -> str:
    place = find_place()
    if controller not in place.parents:
        raise PermissionError("no right to set it")
    place.parents = {controller: place.parents[controller]}
    group = Group(place, f"underspec-probe-{os.getpid()}")
    try:
        group.create(memory=64 * _MIB, disk=64 * _MIB, processes=16, cpus=1.0)
    finally:
        group.remove()
    return f"control groups, version {place.version}"


def _try_seccomp() -> str:
    program = build_filter()
    child = os.fork()
    if child == 0:
        try:
            kernel.no_new_privileges()
            kernel.load_seccomp(program)
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1] != 0:
        raise PermissionError("a filter cannot be loaded")
    return f"a filter of {len(program) // 8} instructions"


def _try_namespaces() -> Ground:
    base = None
    if identity.is_real_root():
        base = identity.base_id()
    else:
        identity.enter_own_namespace()
    init = Init(base, identity.INSIDE_IDS)
    kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    return Ground(init.user, base or 0)


def _try_idmapped(ground: Ground) -> str:
    if ground.namespace is None:
        return "not needed by an ordinary user"
    if not make_shown(kernel.clone_mount(STAGE), ground.namespace):
        raise PermissionError(f"the file system of {STAGE} cannot map owners")
    return "works"


def _try_tmpfs(ground: Ground) -> str:
    ground.mount_tmpfs(STAGE, 16 * _MIB, 1000)
    os.close(kernel.clone_mount(STAGE))
    return "works"


def _try_overlay(ground: Ground) -> str:
    for name in ("lower", "upper", "work", "merged"):
        ground.folder(f"{STAGE}/{name}", 0o755)
    options = f"lowerdir={STAGE}/lower,upperdir={STAGE}/upper,workdir={STAGE}/work,"
    if ground.namespace is None:
        os.setxattr(f"{STAGE}/upper", "user.overlay.probe", b"y")
        options += "userxattr"
    else:
        options += "redirect_dir=on"
    kernel.mount("overlay", f"{STAGE}/merged", "overlay", 0, options)
    return "works"
