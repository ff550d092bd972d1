"""A sandbox that runs nothing: a test says what a deliverable's ``test.sh`` does and leaves."""

from __future__ import annotations

import fnmatch
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from underspec.artifact.deliverable import Deliverable
from underspec.errors import SandboxError
from underspec.sandbox.protocol import WORKSPACE, Check, CollectedFile, ExecResult, SandboxSpec

ENDED = ExecResult(exit_code=0, signal=None, stdout=b"", stderr=b"", seconds=0.0)
LAID = replace(ENDED, stdout=f"test\n{WORKSPACE}/rcb_tests\n".encode())


@dataclass
class Script:
    """What happens in one sandbox: how ``test.sh`` ends, which outputs it leaves (bytes, or a size too large to
    read), and at which step the sandbox fails. ``journal`` fills with the calls made."""

    end: ExecResult = ENDED
    outputs: Mapping[str, bytes | int] = field(default_factory=dict)
    prepared: ExecResult = LAID
    fails_at: str | None = None
    error: Exception = field(default_factory=lambda: SandboxError("broke down"))
    journal: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    execs: list[dict[str, Any]] = field(default_factory=list)


class FakeSandbox:
    """Plays one :class:`Script`."""

    def __init__(self, script: Script, spec: SandboxSpec) -> None:
        self.script = script
        self.spec = spec

    id = "fake"
    image_digest = "fake:0"

    def _step(self, name: str) -> None:
        self.script.journal.append(name)
        if self.script.fails_at == name:
            raise self.script.error

    async def start(self) -> None:
        self._step("start")

    async def exec(self, argv: Sequence[str], **options: Any) -> ExecResult:
        name = "test" if argv[0] == "bash" else "prepare"
        self.script.execs.append({"argv": list(argv), **options})
        self._step(name)
        return self.script.end if name == "test" else self.script.prepared

    async def put(self, path: str, content: bytes, *, executable: bool = False) -> None:
        raise AssertionError("the grader lays inputs in one exec")

    async def put_tree(self, source: Path, path: str) -> None:
        raise AssertionError("the grader copies no tree")

    async def get(self, path: str, *, max_bytes: int) -> bytes:
        raise AssertionError("the grader collects")

    async def collect(
        self,
        path: str,
        *,
        max_file: int,
        max_files: int,
        max_total: int,
        pattern: str = "*",
        want: Callable[[str, int], bool] | None = None,
    ) -> list[CollectedFile]:
        self._step("collect")
        found = []
        for name, content in sorted(self.script.outputs.items()):
            if not fnmatch.fnmatchcase(name, pattern):
                continue
            size = content if isinstance(content, int) else len(content)
            shown = size <= max_file and (want is None or want(name, size)) and not isinstance(content, int)
            if shown:
                self.script.read.append(name)
            found.append(CollectedFile(name, size, content if shown and isinstance(content, bytes) else None))
        return found

    async def listen(self, port: int = 0) -> socket.socket:
        raise AssertionError("nothing is graded where somebody answers")

    async def connect(self, port: int) -> socket.socket:
        raise AssertionError("cases are graded by what they print")

    async def kill_all(self) -> None:
        self._step("kill_all")

    async def archive(self, destination: Path, *, path: str = WORKSPACE) -> Deliverable:
        raise AssertionError("the grader archives nothing")

    async def close(self) -> None:
        self.script.journal.append("close")


class FakeBackend:
    """Hands out one sandbox a script, in order."""

    name = "fake"

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.specs: list[SandboxSpec] = []

    def checks(self) -> list[Check]:
        return []

    def create(self, spec: SandboxSpec) -> FakeSandbox:
        self.specs.append(spec)
        return FakeSandbox(self.scripts[len(self.specs) - 1], spec)

    def image_digest(self, image: str) -> str:
        return f"fake:{image}"

    def reap(self) -> list[str]:
        return []
