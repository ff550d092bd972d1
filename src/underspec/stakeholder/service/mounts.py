"""Whether a folder lies on this machine's own disks. SQLite's log needs memory shared through the file system."""

from __future__ import annotations

from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_OF_NETWORKS = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "lustre", "glusterfs", "afs", "9p", "gpfs", "beegfs", "pvfs2")
)


def on_a_network(folder: Path, mounts: Path = _MOUNTS) -> str | None:
    """The kind of network file system that ``folder`` lies on; None on a local one, or where this cannot be told."""
    try:
        lines = mounts.read_text(errors="replace").splitlines()
    except OSError:
        return None  # no Linux; SQLite says by itself what it cannot do
    place = folder.resolve()
    best, found = -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split(maxsplit=1)
        if len(fields) < 5 or not kind:
            continue
        point = Path(fields[4].replace("\\040", " "))
        # The last of several mounts on one point is the one that is seen.
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, found = len(point.parts), kind[0]
    network = found in _OF_NETWORKS or found in ("fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone")
    return found if network else None
