"""Layers of agents: pinned throughout, whole or absent, not believed once touched, and shown without being run here."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import underspec
from tests.sandbox.boxes import needs_bubblewrap
from tests.sandbox_images.test_building import _TO_FOLDER, fake, use
from underspec.errors import EnvironmentLacksError, HarnessError, SandboxError, StoreError, UsageError
from underspec.sandbox.backends import load_backend
from underspec.sandbox.images.agents import build, layer
from underspec.sandbox.images.agents.layer import LayerDocument, agent_layer, layer_checks
from underspec.sandbox.images.agents.recipe import (
    AgentRecipe,
    agent_catalogue,
    find_agent_recipe,
    parse_agent_recipe,
)
from underspec.sandbox.images.npm import install_npm_lock
from underspec.sandbox.protocol import Owner, SandboxSpec

GOOD = f"""
schema_version = 1
name = "toy"
version = "1.2.3"
check = "toy --version"
program = "toy"

[[archives]]
name = "@scope/toy"
version = "1.2.3"
architecture = "{platform.machine()}"
integrity = "sha512-{"A" * 86}=="
into = "lib"
keep = ["bin/real", "helpers"]

[[launchers]]
name = "toy"
command = ["lib/real", "lib/helpers/words", "--flag"]
path = ["lib/helpers"]

[env]
TOY_OFFLINE = "1"
"""
REAL = """#!/bin/sh
echo "toy $(cat "$1") $2 $3 offline=$TOY_OFFLINE $(helper)"
"""


def toy(archive: Path | None = None) -> AgentRecipe:
    recipe = parse_agent_recipe(GOOD, file="toy.toml")
    if archive is None:
        return recipe
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    archives = tuple(each.model_copy(update={"integrity": f"sha512-{found}"}) for each in recipe.archives)
    return recipe.model_copy(update={"archives": archives})


@pytest.fixture
def toy_recipe(image_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AgentRecipe:
    """The one recipe that there is, and an npm that has its archive."""
    package = tmp_path / "made/package"
    (package / "bin").mkdir(parents=True)
    (package / "helpers").mkdir()
    (package / "bin/real").write_text(REAL)
    (package / "helpers/words").write_text("1.2.3")
    (package / "helpers/helper").write_text("#!/bin/sh\necho helped\n")
    (package / "unwanted").write_text("left out")
    for program in ("bin/real", "helpers/helper"):
        (package / program).chmod(0o755)
    subprocess.run(["tar", "czf", "toy.tgz", "package"], cwd=package.parent, check=True)
    archive = package.parent / "toy.tgz"
    use(monkeypatch, fake(tmp_path / "bin", "npm", f'{_TO_FOLDER}; cp {archive} "$2"'))
    recipe = toy(archive)
    for module in (build, layer):
        monkeypatch.setattr(module, "find_agent_recipe", {"toy": recipe}.__getitem__)
    return recipe


def make(**options: Any) -> LayerDocument:
    backend = load_backend("bubblewrap")
    return asyncio.run(build.build_layer("toy", backend, on_progress=lambda step: None, **options))


def test_every_package_of_the_catalogue_is_named_by_version_and_hash_and_no_place() -> None:
    recipes = agent_catalogue()
    assert list(recipes) == ["claude-code", "codex", "mini-swe-agent", "openhands", "pi"]
    for recipe in recipes.values():
        assert {each.architecture for each in recipe.archives} in (set(), {"aarch64", "x86_64"})
        if recipe.npm_lock:
            text = recipe.lock(recipe.npm_lock)
            packages = {place: entry for place, entry in json.loads(text)["packages"].items() if place}
            assert [
                place for place, entry in packages.items() if not entry.get("integrity", "").startswith("sha")
            ] == []
            assert not any("resolved" in entry for entry in packages.values())
            assert packages["node_modules/@mariozechner/pi-coding-agent"]["version"] == recipe.version
        if recipe.python_lock:
            text = recipe.lock(recipe.python_lock)
            wanted = text.replace("\\\n", " ").splitlines()
            assert [
                line for line in wanted if not re.fullmatch(r"[A-Za-z0-9._-]+==\S+( +--hash=sha256:\w{64})+", line)
            ] == []
            assert re.search(rf"^(mini-swe-agent|openhands-sdk)=={re.escape(recipe.version)} ", text, re.MULTILINE)


def test_the_digest_follows_the_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = find_agent_recipe("pi")
    before = recipe.digest
    assert find_agent_recipe("codex").digest != before
    lock = recipe.lock("pi.package-lock.json")
    monkeypatch.setattr(AgentRecipe, "lock", lambda self, file: lock + "\n")
    assert recipe.digest != before


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('program = "toy"', 'program = "other"', "$"),
        ('into = "lib"', 'into = "../lib"', "$.archives[0].into"),
        ('name = "toy"\nversion', 'name = "../toy"\nversion', "$.name"),
        ("schema_version = 1", "schema_version = 2", "$.schema_version"),
        ('architecture = "', 'architecture = "pdp-', "$.archives[0].architecture"),
    ],
)
def test_a_bad_recipe_is_refused_with_its_place(old: str, new: str, place: str) -> None:
    assert old in GOOD
    with pytest.raises(HarnessError) as caught:
        parse_agent_recipe(GOOD.replace(old, new, 1), file="toy.toml")
    assert (caught.value.file, caught.value.where) == ("toy.toml", place)


def test_a_missing_layer_says_how_to_make_it_and_an_unknown_one_what_there_is(image_home: Path) -> None:
    with pytest.raises(EnvironmentLacksError, match="not on this machine") as caught:
        agent_layer("claude-code")
    assert "underspec image build claude-code" in (caught.value.mend or "")
    with pytest.raises(UsageError, match="cobol") as unknown:
        agent_layer("cobol")
    assert "openhands" in (unknown.value.mend or "")
    checks = layer_checks()
    assert [check.name for check in checks] == [f"agent {name}" for name in agent_catalogue()]
    assert not any(check.ok or check.required for check in checks)


def test_a_machine_that_an_agent_is_not_made_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(EnvironmentLacksError, match="not made for riscv64"):
        toy().archives_here()


@pytest.mark.sandbox
@needs_bubblewrap
def test_a_layer_is_made_tried_and_shown(toy_recipe: AgentRecipe, image_home: Path) -> None:
    document = make()
    assert (document.version, document.packages) == ("1.2.3", {"npm:@scope/toy": "1.2.3"})
    made = agent_layer("toy")
    assert made.program == "/opt/underspec/agents/toy/bin/toy"
    assert made.digest == document.digest
    tree = image_home.parent / "agents/toy/root"
    assert sorted(path.name for path in (tree / "lib").iterdir()) == ["helpers", "real"]

    async def inside() -> None:
        spec = SandboxSpec(owner=Owner("tests", "layers"), mounts=made.mounts)
        sandbox = load_backend("bubblewrap").create(spec)
        try:
            await sandbox.start()
            ended = await sandbox.exec([made.program, "word"], env=made.env)
            assert ended.stdout == b"toy 1.2.3 --flag word offline=1 helped\n", ended
            assert not (await sandbox.exec(["sh", "-c", f"echo >{made.bin}/toy"])).ok
            assert (await sandbox.exec(["sh", "-c", "echo $PATH; command -v helper"])).stdout.count(b"\n") == 1
        finally:
            await sandbox.close()

    asyncio.run(inside())
    assert make() == document  # nothing to do
    assert make(again=True).digest == document.digest
    assert sorted(path.name for path in tree.parent.parent.iterdir() if path.suffix != ".lock") == ["toy"]


@pytest.mark.sandbox
@needs_bubblewrap
def test_a_layer_that_somebody_changed_or_an_older_recipe_made_is_not_used(
    toy_recipe: AgentRecipe, image_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make()
    other = toy_recipe.model_copy(update={"env": {"TOY_OFFLINE": "2"}})
    for module in (build, layer):
        monkeypatch.setattr(module, "find_agent_recipe", {"toy": other}.__getitem__)
    with pytest.raises(EnvironmentLacksError, match="another recipe"):
        agent_layer("toy")
    assert make().digest != first.digest
    agent_layer("toy")
    folder = image_home.parent / "agents/toy"
    make(again=True)
    (folder / "root/bin/toy").write_text("#!/bin/sh\necho taken\n")
    with pytest.raises(StoreError, match="changed after it was made"):
        agent_layer("toy")
    make()  # a damaged one is made anew
    agent_layer("toy")
    (folder / "agent.json").write_text("{")
    with pytest.raises(StoreError, match="damaged"):
        agent_layer("toy")


@pytest.mark.sandbox
@needs_bubblewrap
def test_a_program_that_does_not_start_or_is_another_version_is_not_kept(
    toy_recipe: AgentRecipe, image_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for changes in ({"version": "9.9.9"}, {"check": "no-such-program"}):
        broken = toy_recipe.model_copy(update=changes)
        for module in (build, layer):
            monkeypatch.setattr(module, "find_agent_recipe", {"toy": broken}.__getitem__)
        with pytest.raises(SandboxError, match="does not start"):
            make()
        left = {path.name for path in (image_home.parent / "agents").iterdir() if path.suffix != ".lock"}
        assert left == {"toy.log"}  # what tools said stays to be read


def test_an_archive_that_is_not_the_one_named_is_refused(toy_recipe: AgentRecipe, tmp_path: Path) -> None:
    root = tmp_path / "tree/root"
    root.mkdir(parents=True)
    with pytest.raises(SandboxError, match="not the recipe's"):
        build._install_archive(toy().archives[0], root, tmp_path / "log")
    missing = toy_recipe.archives[0].model_copy(update={"keep": ("bin/none",)})
    with pytest.raises(SandboxError, match="has no bin/none"):
        build._install_archive(missing, root, tmp_path / "log")


def test_packages_of_a_lock_are_installed_without_running_any(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = (
        'echo "$@" >&2; test -f package-lock.json || exit 9; grep -q 1.0.0 package.json || exit 8;'
        "mkdir -p node_modules/.bin node_modules/tool; touch node_modules/.package-lock.json"
    )
    use(monkeypatch, fake(tmp_path / "bin", "npm", script))
    root = tmp_path / "tree/root"
    root.mkdir(parents=True)
    lock = json.dumps({"packages": {"": {"name": "x", "dependencies": {"tool": "1.0.0"}}, "node_modules/tool": {}}})
    install_npm_lock(lock, root, log=tmp_path / "log")
    assert [path.name for path in (root / "node_modules").iterdir()] == ["tool"]
    assert "ci --ignore-scripts" in (tmp_path / "log").read_text()
    assert [path.name for path in root.parent.iterdir()] == ["root"]


def test_the_command_line_lists_agents_and_refuses_what_makes_no_sense(image_home: Path) -> None:
    listed = underspec("image", "list", "--json").json()
    rows = {row["name"]: row for row in listed["agents"]}
    assert set(rows) == set(agent_catalogue())
    assert rows["pi"]["built"] is None
    assert rows["pi"]["program"] == "/opt/underspec/agents/pi/bin/pi"
    text = underspec("image", "list").out
    assert re.search(r"^claude-code +agent +\S+ +not built$", text, re.MULTILINE)
    ran = underspec("image", "build", "pi", "--from-docker", "x")
    assert (ran.code, ran.out) == (2, "")
    ran = underspec("doctor")
    assert "mend: make it: `underspec image build codex`" in ran.out


def test_without_npm_an_npm_agent_names_what_to_install(image_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("underspec.sandbox.images.tools.which", lambda name, path: None)
    with pytest.raises(EnvironmentLacksError, match="npm is not installed"):
        asyncio.run(build.build_layer("codex", load_backend("bubblewrap"), on_progress=lambda step: None))
