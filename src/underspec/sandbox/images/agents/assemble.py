"""Runs in a sandbox of the image ``python``: makes a virtual environment of wheels, with the interpreter that runs it.

Arguments: the folder of wheels, the requirements with their hashes, the folder to fill, and where that will be shown.
The last line printed is a JSON object of what is installed.
"""

from __future__ import annotations

import compileall
import importlib.metadata
import json
import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
LEFT_OUT = shutil.ignore_patterns("__pycache__", "test", "idlelib", "ensurepip", "turtledemo", "config-*", "tkinter")


def main() -> None:
    """Do it all."""
    wheels, requirements, layer, target = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    site = layer / "lib" / VERSION / "site-packages"
    site.mkdir(parents=True)
    [pip] = Path("/usr/share/python-wheels").glob("pip-*.whl")
    subprocess.run(
        [
            *(
                sys.executable,
                f"{pip}/pip",
                "install",
                "--no-index",
                "--find-links",
                wheels,
                "--no-deps",
                "--no-compile",
            ),
            *("--require-hashes", "--only-binary", ":all:", "--quiet", "--root-user-action", "ignore"),
            *("--no-cache-dir", "--target", str(site), "--requirement", requirements),
        ],
        check=True,
        stdout=sys.stderr,
    )
    shutil.rmtree(site / "bin", ignore_errors=True)  # their paths are those of this sandbox
    runtime = layer / "runtime"
    (runtime / "bin").mkdir(parents=True)
    (runtime / "lib").mkdir()
    shutil.copy(os.path.realpath(sys.executable), runtime / "bin" / VERSION)
    library = runtime / "lib" / VERSION
    shutil.copytree(sysconfig.get_path("stdlib"), library, symlinks=False, ignore=LEFT_OUT)
    loader = copy_libraries([runtime / "bin" / VERSION, *library.rglob("*.so"), *site.rglob("*.so*")], runtime / "lib")
    (layer / "pyvenv.cfg").write_text(
        f"home = {target}/runtime/bin\ninclude-system-site-packages = false\nversion = {sys.version.split()[0]}\n"
    )
    (layer / "bin").mkdir()
    start = layer / "bin" / "python"
    start.write_text(
        "#!/bin/sh\n"
        f"exec {target}/runtime/lib/{loader} --argv0 {target}/bin/python --library-path {target}/runtime/lib "
        f'{target}/runtime/bin/{VERSION} "$@"\n'
    )
    start.chmod(0o755)
    (layer / "bin" / "python3").symlink_to("python")
    for folder in (site, library):
        compileall.compile_dir(
            folder,
            quiet=2,
            stripdir=str(layer),
            prependdir=target,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            workers=os.cpu_count() or 1,
        )
    print(json.dumps({each.name: each.version for each in importlib.metadata.distributions(path=[str(site)])}))


def copy_libraries(programs: list[Path], into: Path) -> str:
    """Copy the shared libraries of this system that programs load; the file name of the loader."""
    loader = ""
    for program in programs:
        said = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout
        for path in re.findall(r"(/\S+) \(0x", said):
            if path.startswith(("/lib", "/usr/lib")):
                name = Path(path).name
                if name.startswith("ld-"):
                    loader = name
                if not (into / name).exists():
                    shutil.copy(os.path.realpath(path), into / name)
    if not loader:
        raise SystemExit("the interpreter names no loader")
    return loader


if __name__ == "__main__":
    main()
