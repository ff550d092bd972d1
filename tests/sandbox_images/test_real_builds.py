"""Every recipe that Debian packages can serve, really made and tried. Minutes each; needs a Debian mirror."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from underspec.sandbox.backends import load_backend
from underspec.sandbox.images.build import build_image
from underspec.sandbox.images.recipe import catalogue
from underspec.sandbox.images.verify import verify_image

pytestmark = [
    pytest.mark.proof,
    pytest.mark.sandbox,
    pytest.mark.skipif(os.geteuid() != 0, reason="images are built by root"),
    pytest.mark.skipif(shutil.which("debootstrap") is None, reason="debootstrap is not installed"),
]
BUILDABLE = [recipe.name for recipe in catalogue().values() if recipe.unavailable is None]


@pytest.mark.parametrize("name", BUILDABLE)
def test_the_language_works_in_the_image(image_home: Path, name: str) -> None:
    build_image(name, on_progress=lambda step: None)
    findings = asyncio.run(verify_image(name, load_backend("bubblewrap")))
    assert [finding for finding in findings if not finding.ok] == []
    assert {finding.name for finding in findings} == {"tree", "version", "dispatcher"}
    shutil.rmtree(image_home)


def test_two_builds_of_one_recipe_have_one_digest(image_home: Path) -> None:
    first = build_image("python", on_progress=lambda step: None)
    assert build_image("python", on_progress=lambda step: None) == first  # nothing to do
    second = build_image("python", again=True, on_progress=lambda step: None)
    assert second.digest == first.digest
    assert second.packages == first.packages
    shutil.rmtree(image_home)
