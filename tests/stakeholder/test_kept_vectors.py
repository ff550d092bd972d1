"""Vectors of a task's texts are made once on a machine, and never believed when they cannot be right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from underspec.stakeholder.encoders import Matrix
from underspec.stakeholder.kept_vectors import encode_kept


class Counting:
    """An encoder that counts its texts."""

    dimensions = 2

    def __init__(self, name: str = "counting 1") -> None:
        self.name = name
        self.encoded: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Matrix:
        self.encoded += texts
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


@pytest.fixture
def vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path))
    return tmp_path / "vectors"


def test_texts_are_encoded_once(vectors: Path) -> None:
    encoder = Counting()
    first = encode_kept(encoder, ["a", "bcd"])
    second = encode_kept(encoder, ["a", "bcd"])
    assert encoder.encoded == ["a", "bcd"]
    assert first.tolist() == second.tolist() == [[1, 1], [3, 1]]


@pytest.mark.parametrize("other", [(Counting("counting 2"), ["a"]), (Counting(), ["b"]), (Counting(), ["a", "a"])])
def test_another_encoder_or_text_has_vectors_of_its_own(vectors: Path, other: tuple[Counting, list[str]]) -> None:
    encode_kept(Counting(), ["a"])
    encoder, texts = other
    encode_kept(encoder, texts)
    assert encoder.encoded == texts


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"not an array",
        b"\x93NUMPY\x01\x00",
        np.array([[1.0, 2.0, 3.0]], dtype=np.float32).tobytes(),
    ],
)
def test_a_damaged_file_is_made_anew(vectors: Path, damage: bytes) -> None:
    encode_kept(Counting(), ["a"])
    [file] = vectors.iterdir()
    file.write_bytes(damage)
    encoder = Counting()
    assert encode_kept(encoder, ["a"]).tolist() == [[1, 1]]
    assert encoder.encoded == ["a"]
    again = Counting()
    encode_kept(again, ["a"])
    assert again.encoded == []


@pytest.mark.parametrize(
    "content", [np.ones((2, 2), np.float32), np.ones((1, 2), np.float64), np.full((1, 2), np.nan, np.float32)]
)
def test_an_array_of_another_shape_or_kind_is_made_anew(vectors: Path, content: np.ndarray) -> None:
    encode_kept(Counting(), ["a"])
    [file] = vectors.iterdir()
    with file.open("wb") as stream:
        np.save(stream, content)
    assert encode_kept(Counting(), ["a"]).tolist() == [[1, 1]]


def test_an_object_array_is_never_unpickled(vectors: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.mkdir, (tmp_path / "sprung",))  # type: ignore[return-value]

    encode_kept(Counting(), ["a"])
    [file] = vectors.iterdir()
    with file.open("wb") as stream:
        np.save(stream, np.array([Trap()], dtype=object), allow_pickle=True)
    assert encode_kept(Counting(), ["a"]).tolist() == [[1, 1]]
    assert not (tmp_path / "sprung").exists()


def test_where_nothing_can_be_kept_vectors_are_made_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "file"))
    encoder = Counting()
    for _ in range(2):
        assert encode_kept(encoder, ["a"]).tolist() == [[1, 1]]
    assert encoder.encoded == ["a", "a"]
