"""image: recipes of the base image, and of the provisioned one: the verified environment without golden code (III-B).

What is provisioned is what the repository's tests needed in select, pinned by hash. The gate lays it out for real and
looks through it, and through the base image's tree, for anything of the golden implementation.
"""

from __future__ import annotations

import functools
import json
import tempfile
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import tomli_w

from underspec.construct.findings import GateFinding, NoProposalError, Verdict
from underspec.construct.leftovers import Golden, golden_of, scan
from underspec.construct.materials import SELECTION, Selection, read_part
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.construct.tools import COVERAGE, PYTEST
from underspec.errors import EnvironmentLacksError, GoldenError, UsageError
from underspec.grade.structure.languages import find_language
from underspec.sandbox.bubblewrap.host import host_entries
from underspec.sandbox.images.recipe import recipe_for
from underspec.sandbox.images.store import HOST, root_tree
from underspec.task.provisioned import Provisioned, lay_out

BASE_TOML, PROVISIONED, FILES = "base.toml", "provisioned.toml", "files"


class Image:
    """See the module."""

    name = "image"
    needs: tuple[str, ...] = ("select",)
    version = 1
    prompts: tuple[str, ...] = ()
    files: Mapping[str, str] = {
        BASE_TOML: "the recipe of the base image",
        PROVISIONED: "what is laid over it: packages by name, version and hash",
        f"{FILES}/": "files laid over the root as they are; may be absent",
    }
    calls = 0

    def reads(self, project: Project) -> dict[str, str]:
        """The stage's options."""
        from underspec.artifact.canonical import digest_of

        return {"options": digest_of(project.options_of(self.name))}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Write both recipes from what select has verified."""
        selection = _selection(work)
        try:
            recipe = recipe_for(selection.language)
        except UsageError as error:
            raise NoProposalError(error.message, kind="no_recipe", mend=error.mend) from error
        packaged = resources.files("underspec.sandbox.images") / "recipes" / f"{recipe.name}.toml"
        (work.out / BASE_TOML).write_text(packaged.read_text(encoding="utf-8"), encoding="utf-8")
        own = {one.filename for one in (*PYTEST, *COVERAGE)}
        wheels = [
            {"registry": "pypi", **one}
            for one in work.project.options_of("select").get("wheels", ())
            if one.get("filename") not in own
        ]
        language = find_language(selection.language)
        folder = _FOLDERS.get(language.key if language else "", "/opt/packages")
        document = {"schema_version": 1, "base": recipe.name, "folder": folder, "packages": wheels}
        (work.out / PROVISIONED).write_text(tomli_w.dumps(document), encoding="utf-8")

    async def gate(self, work: Work) -> Verdict:
        """Lay out what is provisioned, and look through it and the base image's tree."""
        findings: list[GateFinding] = []
        plan = read_part(work.out, PROVISIONED, Provisioned, findings)
        if not (work.out / BASE_TOML).is_file():
            findings.append(GateFinding(kind="missing_file", message="the recipe is missing", file=BASE_TOML))
        else:
            findings += _readable(work.out / BASE_TOML)
        if plan is None:
            return Verdict(findings=tuple(findings))
        selection = _selection(work)
        allowed = {str(one) for one in work.options.get("allowed_names", ())}
        names = {name for name in (selection.name, *selection.identity) if name not in allowed}
        golden = golden_of(
            work.of("select") / "golden",
            work.of("select") / "source",
            selection.test_paths,
            names,
            selection.language,
        )
        looked: dict[str, Any] = {}
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="underspec-layer-") as folder:
            layer = Path(folder)
            try:
                count = lay_out(plan, work.out / FILES, layer)
            except GoldenError as error:
                findings.append(
                    GateFinding(kind="package_missing", message=error.message, file=PROVISIONED, mend=error.mend)
                )
                count = 0
            work.say(f"looking through {count} provisioned files for the golden implementation")
            findings += scan(layer, golden)
            looked["provisioned_files"] = count
        findings += self._base(work, plan, golden, looked)
        looked["seconds"] = round(time.monotonic() - began, 1)
        (work.evidence / "looked.json").write_text(json.dumps(looked, indent=2) + "\n")
        return Verdict(findings=tuple(findings), facts=looked)

    def _base(self, work: Work, plan: Provisioned, golden: Golden, looked: dict[str, Any]) -> list[GateFinding]:
        """The tree that the task is graded in, and the one that the recipe makes, where this machine has it."""
        findings: list[GateFinding] = []
        for name in dict.fromkeys((str(work.options.get("base", HOST)), plan.base)):
            try:
                roots = image_roots(name)
            except EnvironmentLacksError as error:
                message = f"the image {name} is not on this machine, so nobody looked through it"
                findings.append(GateFinding(kind="not_looked", message=message, severity="warning", mend=error.mend))
                continue
            work.say(f"looking through the image {name}")
            for root, skip in roots:
                shown_as = f"{name}:{root}" if name == HOST else f"{name}:"
                findings += scan(root, golden, shown_as=shown_as, skip=skip)
            looked.setdefault("images", []).append(name)
        return findings


_FOLDERS = {"python": "/usr/lib/python3/dist-packages", "javascript": "/usr/lib/node_modules"}


def image_roots(name: str) -> list[tuple[Path, Callable[[str], bool]]]:
    """Trees of an image with what is masked in each.

    Raises:
        EnvironmentLacksError: there is no such image on this machine.
    """
    if name != HOST:
        return [(root_tree(name), lambda path: False)]
    shown = [Path(entry[1]) for entry in host_entries() if entry[0] == "show" and Path(entry[1]).is_dir()]
    masked = tuple(entry[1].strip("/") for entry in host_entries() if entry[0] == "mask")
    return [(root, functools.partial(_masked, root.as_posix().strip("/"), masked)) for root in shown]


def _masked(root: str, masked: tuple[str, ...], path: str) -> bool:
    whole = f"{root}/{path}"
    return any(whole == one or whole.startswith(f"{one}/") for one in masked)


def _readable(path: Path) -> list[GateFinding]:
    try:
        tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return [GateFinding(kind="bad_file", message=f"is not TOML: {error}", file=path.name)]
    return []


def _selection(work: Work) -> Selection:
    findings: list[GateFinding] = []
    found = read_part(work.of("select"), SELECTION, Selection, findings)
    if found is None:
        raise NoProposalError(f"{SELECTION}: {findings[0].message}", kind="damaged_before")
    return found


IMAGE = Image()
