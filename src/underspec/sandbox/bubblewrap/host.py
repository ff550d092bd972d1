"""The image ``host``: the machine's own ``/usr``, allow-listed, with an ``/etc`` of our making.

What a machine's owner added to it (``/usr/local``, installed Python packages, global Node modules) is masked, and
nothing that tells who or where the machine is gets in. It differs from machine to machine, so results from it are not
comparable; it needs no download.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from pathlib import Path

# One step of building the root tree: ("folder", path), ("link", path, target), ("file", path, text),
# ("script", path, text), ("show", host path, path) read-only, ("mask", path) with an empty folder.
Entry = tuple[str, ...]

PATH = "/usr/local/bin:/usr/bin:/bin"
OWN_PYTHON = "/opt/python"
_OLDEST_PYTHON = (3, 8)
_SHOWN_ETC = (
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/perl",
    "/etc/pki/ca-trust",
    "/etc/pki/java",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl.cnf",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
)
_FILES = {
    "/etc/passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "/etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "/etc/hostname": "sandbox\n",
    "/etc/resolv.conf": "",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


@functools.cache
def host_entries() -> tuple[Entry, ...]:
    """How to build the root tree on this machine."""
    entries: list[Entry] = [("show", "/usr", "/usr")]
    entries += [("mask", path) for path in _masked()]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            entries.append(("link", str(path), str(path.readlink())))
        elif path.is_dir():
            entries.append(("show", str(path), str(path)))
    entries += [("file", path, text) for path, text in _FILES.items()]
    entries += [("show", path, path) for path in _SHOWN_ETC if Path(path).exists()]
    entries += [("show", str(path), str(path)) for path in sorted(Path("/etc").glob("java*")) if path.is_dir()]
    entries.append(("link", "/etc/os-release", "../usr/lib/os-release"))
    entries.append(("link", "/etc/mtab", "/proc/mounts"))
    entries += [("folder", path) for path in ("/home", "/mnt", "/opt", "/srv", "/var/cache", "/var/lib", "/var/log")]
    entries += own_python_entries() if needs_own_python() else []
    return tuple(entries)


def host_path() -> str:
    """``PATH`` inside."""
    return f"{PATH}:{OWN_PYTHON}/bin" if needs_own_python() else PATH


@functools.cache
def host_digest() -> str:
    """``host:`` and a hash over the distribution, its packages, the machine's kind and its Python."""
    hasher = hashlib.sha256()
    for path in (Path("/usr/lib/os-release"), Path("/var/lib/dpkg/status"), Path("/var/lib/rpm/rpmdb.sqlite")):
        if path.is_file():
            hasher.update(str(path).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    hasher.update(f"{os.uname().machine}\0{_system_python()}\0{needs_own_python() and sys.version}".encode())
    return f"host:{hasher.hexdigest()}"


def _masked() -> list[str]:
    """Folders of ``/usr`` that hold what the machine's owner added."""
    found = [Path("/usr/local"), Path("/usr/src"), Path("/usr/lib/node_modules"), Path("/usr/share/nodejs")]
    for pattern in ("python3*/dist-packages", "python3*/site-packages"):
        for library in (Path("/usr/lib"), Path("/usr/lib64")):
            if not library.is_symlink():
                found += sorted(library.glob(pattern))
    return [str(path) for path in found if path.is_dir() and not path.is_symlink()]


@functools.cache
def needs_own_python() -> bool:
    """Whether ``/usr`` has no Python that is young enough, so that the running one is shown."""
    version = _system_python()
    return version is None or version < _OLDEST_PYTHON


def _system_python() -> tuple[int, int] | None:
    found = re.fullmatch(r"python(\d+)\.(\d+)", Path("/usr/bin/python3").resolve().name)
    if found is None or not Path("/usr/bin/python3").resolve().is_file():
        return None
    return int(found[1]), int(found[2])


def own_python_entries() -> list[Entry]:
    """The interpreter that runs us, at ``/opt/python``, with its standard library and nothing installed into it."""
    prefix = Path(sys.base_prefix)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = prefix / "lib" / version
    program = str((prefix / "bin" / version).resolve())
    entries: list[Entry] = [("show", str(library), f"{OWN_PYTHON}/lib/{version}")]
    for name in ("site-packages", "dist-packages"):
        if (library / name).is_dir():
            entries.append(("mask", f"{OWN_PYTHON}/lib/{version}/{name}"))
    shared = sorted((prefix / "lib").glob(f"lib{version}*.so*"))
    entries += [("show", str(path.resolve()), f"{OWN_PYTHON}/lib/{path.name}") for path in shared]
    if shared:
        # It knows its own library by a path of the host, and another of that name may lie in /usr.
        start = f'#!/bin/sh\nLD_LIBRARY_PATH={OWN_PYTHON}/lib exec {OWN_PYTHON}/libexec/{version} "$@"\n'
        entries.append(("script", f"{OWN_PYTHON}/bin/{version}", start))
        entries.append(("show", program, f"{OWN_PYTHON}/libexec/{version}"))
    else:
        entries.append(("show", program, f"{OWN_PYTHON}/bin/{version}"))
    entries.append(("link", f"{OWN_PYTHON}/bin/python3", version))
    return entries
