"""Lays the inputs of a suite into a deliverable, inside the sandbox, before anything of the deliverable runs.

What the deliverable itself placed where inputs and outputs go (files, links, folders without permissions, outputs of an
earlier run) is gone afterwards (faults 11 and 15). Only programs of the image do the work, in one ``exec`` however
many inputs there are; the inputs come as a tar stream on its standard input.
"""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Mapping

from underspec.errors import SandboxError
from underspec.grade.text import printable
from underspec.sandbox.protocol import WORKSPACE, Sandbox

PREPARE_SECONDS = 600.0

# $1 the workspace, $2 the suite's folder. Prints "test" or "none", then the real path of rcb_tests. A link is kept
# when it leads to a folder of the workspace, for such a deliverable is run as it was delivered; any other link, and
# whatever else is no folder, cannot hold a test.sh and gives way.
_PREPARE = r"""
set -u
workspace=$1; folder=$2; tests=$1/rcb_tests
open_up() { [ -r "$1" ] && [ -w "$1" ] && [ -x "$1" ] || chmod u+rwx "$1" 2>/dev/null; }
open_up "$workspace"
cd -P "$workspace" || exit 1
clear_away() {
    [ -e "$1" ] || [ -L "$1" ] || return 0
    rm -rf -- "$1" 2>/dev/null && return 0
    find "$1" -type d ! -perm -700 -exec chmod u+rwx {} \; 2>/dev/null
    rm -rf -- "$1"
}
real=
if [ -d "$tests" ]; then
    open_up "$tests"
    real=$(cd -P "$tests" 2>/dev/null && pwd -P)
    case $real in "$workspace"|"$workspace"/*) ;; *) real= ;; esac
fi
if [ -z "$real" ] || [ ! -d "$real" ]; then
    clear_away "$tests" || exit 1
    real=$tests
    mkdir "$real" || exit 1
fi
if [ ! -f "$real/test.sh" ]; then
    cat >/dev/null
    printf 'none\n%s\n' "$real"
    exit 0
fi
clear_away "$real/$folder" || exit 1
clear_away "$real/stdout" || exit 1
mkdir "$real/$folder" "$real/stdout" "$real/stdout/$folder" || exit 1
tar -x -o -f - -C "$real/$folder" || exit 1
printf 'test\n%s\n' "$real"
"""


def tar_of(files: Mapping[str, bytes]) -> bytes:
    """A tar of plain files, the same bytes for the same files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"./{name}")
            entry.size = len(files[name])
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(files[name]))
    return buffer.getvalue()


async def lay_inputs(sandbox: Sandbox, folder: str, files: Mapping[str, bytes]) -> str | None:
    """Make ``rcb_tests/<folder>`` hold ``files`` and nothing else, and ``rcb_tests/stdout/<folder>`` be empty.

    Returns:
        The path inside of the real folder behind ``rcb_tests``; None when the deliverable has no
        ``rcb_tests/test.sh``, and then nothing was laid.

    Raises:
        SandboxError: the image's programs could not do it.
    """
    end = await sandbox.exec(
        ["/bin/sh", "-c", _PREPARE, "prepare", WORKSPACE, folder],
        cwd="/",
        stdin=tar_of(files),
        timeout=PREPARE_SECONDS,
    )
    verdict, _, real = end.stdout.partition(b"\n")
    if not end.ok or verdict not in (b"test", b"none"):
        raise SandboxError(
            f"the inputs of {folder} could not be laid into the deliverable: exit {end.exit_code}, "
            f"limit {end.limit}: {printable(end.stderr[-500:])}",
            mend="the image needs /bin/sh, chmod, cat, find, mkdir, rm and tar",
        )
    return os.fsdecode(real[:-1]) if verdict == b"test" else None
