"""Vectors of a task's own texts, kept on this machine: they cost seconds, and are the same each time.

A file's name is a digest of the encoder and of every text, so nothing in it can be out of date. One that cannot be
read, or has another shape, is made anew; where none can be written, vectors are made each time.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from underspec.artifact.canonical import digest_of
from underspec.artifact.files import read_regular, write_atomic
from underspec.errors import UnderspecError
from underspec.stakeholder.encoders import MAX_CHARACTERS, Encoder, Matrix
from underspec.task.cache import home

log = logging.getLogger(__name__)

_FORMAT = 1


def encode_kept(encode: Encoder, texts: Sequence[str]) -> Matrix:
    """What ``encode`` makes of ``texts``: one row a text."""
    path = _path(encode, texts)
    kept = _read(path, (len(texts), encode.dimensions)) if path else None
    if kept is not None:
        return kept
    made = encode(texts)
    if path:
        _write(path, made)
    return made


def _path(encode: Encoder, texts: Sequence[str]) -> Path | None:
    key = digest_of([_FORMAT, encode.name, [text[:MAX_CHARACTERS] for text in texts]])
    try:
        return home() / "vectors" / f"{key}.npy"
    except UnderspecError as error:
        log.debug("vectors are not kept: %s", error)
        return None


def _read(path: Path, shape: tuple[int, int]) -> Matrix | None:
    try:
        found = np.load(io.BytesIO(read_regular(path)), allow_pickle=False)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, EOFError) as error:
        log.debug("%s cannot be read and is made anew: %s", path, error)
        return None
    sound = found.shape == shape and found.dtype == np.float32 and bool(np.isfinite(found).all())
    return np.asarray(found, dtype=np.float32) if sound else None


def _write(path: Path, vectors: Matrix) -> None:
    content = io.BytesIO()
    np.save(content, np.ascontiguousarray(vectors, dtype=np.float32), allow_pickle=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content.getvalue())
    except (OSError, UnderspecError) as error:
        log.debug("vectors are not kept in %s: %s", path, error)
