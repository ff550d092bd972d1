"""The real programs of all agents, made of registry packages, and started where they will run. `make agents`."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.boxes import needs_bubblewrap
from underspec.sandbox.backends import load_backend
from underspec.sandbox.images import kept
from underspec.sandbox.images.agents.build import build_layer, try_layer
from underspec.sandbox.images.agents.layer import LayerDocument, agent_layer
from underspec.sandbox.images.agents.recipe import agent_catalogue, find_agent_recipe

pytestmark = [
    pytest.mark.agents,
    pytest.mark.sandbox,
    needs_bubblewrap,
    pytest.mark.skipif(os.geteuid() != 0, reason="the image that interpreters come from is built by root"),
    pytest.mark.skipif(shutil.which("debootstrap") is None, reason="debootstrap is not installed"),
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
]


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One for all: each layer is made once. ``UNDERSPEC_AGENTS_HOME`` names one to keep."""
    named = os.environ.get("UNDERSPEC_AGENTS_HOME")
    folder = Path(named) if named else tmp_path_factory.mktemp("agents")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNDERSPEC_HOME", str(folder))
        patch.setattr(kept, "_in_use", {})
        yield folder
    if not named:
        shutil.rmtree(folder)


def made(name: str, *, again: bool = False) -> LayerDocument:
    backend = load_backend("bubblewrap")
    return asyncio.run(build_layer(name, backend, again=again, on_progress=lambda step: None))


@pytest.mark.parametrize("backend", ["bubblewrap", "docker"])
@pytest.mark.parametrize("image", ["host", "python"])
@pytest.mark.parametrize("name", list(agent_catalogue()))
def test_the_program_starts_in_any_image(name: str, image: str, backend: str, request: pytest.FixtureRequest) -> None:
    if backend == "docker":
        request.getfixturevalue("container_engine")
    made("mini-swe-agent")  # and with it the image `python`
    document = made(name)
    assert document.version == find_agent_recipe(name).version
    [mount] = agent_layer(name).mounts
    said = asyncio.run(try_layer(find_agent_recipe(name), mount.source, load_backend(backend), image=image))
    assert document.version in said


@pytest.mark.parametrize("name", list(agent_catalogue()))
def test_an_agents_shell_finds_the_images_programs_and_not_the_agents(name: str) -> None:
    made(name)
    layer = agent_layer(name)
    ours = {path.name for path in (layer.mounts[0].source / "bin").iterdir()}
    assert not ours & {"node", "npm", "pip", "python", "python3", "rg"}


@pytest.mark.parametrize("name", ["codex", "mini-swe-agent", "pi"])
def test_a_layer_made_again_is_the_same(name: str) -> None:
    assert made(name, again=True).tree_digest == made(name).tree_digest
