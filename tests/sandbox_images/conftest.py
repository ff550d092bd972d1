"""A home of its own for every test that keeps images."""

from __future__ import annotations

from pathlib import Path

import pytest

from underspec.sandbox.images import kept


@pytest.fixture
def image_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of images under a fresh ``UNDERSPEC_HOME``; no tree of it counts as in use by this process."""
    home = tmp_path / "home"
    monkeypatch.setenv("UNDERSPEC_HOME", str(home))
    monkeypatch.setattr(kept, "_in_use", {})
    return home / "images"
