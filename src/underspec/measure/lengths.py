"""How long texts are, in tokens, without a tokenizer: the figures of a data set must not hang on one vendor's."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

BYTES_A_TOKEN = 4
"""Of English prose in the byte-pair vocabularies of today's models: about four characters a token (OpenAI, "What are
tokens and how to count them?"; the paper does not name the tokenizer of its Table V)."""


def estimated_tokens(texts: Iterable[str]) -> NDArray[np.int64]:
    """Estimated tokens of each text: its bytes of UTF-8 over :data:`BYTES_A_TOKEN`, rounded up; shape (texts,)."""
    sizes = np.fromiter((len(text.encode("utf-8", "surrogatepass")) for text in texts), dtype=np.int64)
    return -(-sizes // BYTES_A_TOKEN)
