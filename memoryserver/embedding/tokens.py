"""Vectors of the tokens of texts, and how near a question is to a text by them.

The vector of a text is the mean of its tokens', in which a detail is lost that a question asks for. Compared token by
token ("late interaction": the mean over the question's tokens of the nearest of the text's) it is found. Of a text only
the sign of each number is kept, 48 bytes a token for the bundled model, which order texts as well as the numbers
themselves (docs/search.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryserver.embedding.base import Embedding

MAX_TOKENS = 64
"""Tokens of a text that are kept."""

_ONE_THREAD = 200_000
"""Multiplications in one product, below which OpenBLAS starts no threads: on busy cores these wait for each other."""

Tokens = NDArray[np.float32]
"""The vectors of a text's tokens, one in each row, of length 1."""


def embedding(vector: Sequence[float], tokens: Tokens) -> Embedding:
    """Return the vector of a text with what is kept of its tokens."""
    vectors = tokens[:MAX_TOKENS].astype("<f2")
    return Embedding(vector, np.packbits(vectors > 0, axis=1).tobytes(), vectors.tobytes())


def unpacked(tokens: bytes, dimension: int) -> Tokens:
    """Return the tokens of `Embedding.tokens`. Raises ValueError if they are not of this dimension."""
    return np.frombuffer(tokens, "<f2").reshape(-1, dimension).astype(np.float32)


def similarities(question: Tokens, texts: Sequence[bytes]) -> NDArray[np.float32]:
    """Return the similarity of `question` to each of `texts`, the `Embedding.codes` of each, from about 0 to 1.

    Raises ValueError if a text has no tokens or is of another dimension.
    """
    dimension = question.shape[1]
    width = -(-dimension // 8)
    sizes = np.array([len(codes) for codes in texts])
    if (sizes == 0).any() or (sizes % width).any():
        raise ValueError(f"codes of texts must have {width} bytes for each token")
    packed = np.frombuffer(b"".join(texts), np.uint8).reshape(-1, width)
    bits: NDArray[Any] = np.unpackbits(packed, axis=1, count=dimension).astype(np.float32)
    # With signs for bits: the product with 2 * bit - 1.
    products = (2 * _product(question, bits) - question.sum(axis=1, keepdims=True)) / np.sqrt(dimension)
    starts = np.concatenate([[0], np.cumsum(sizes // width)[:-1]])
    nearest = np.maximum.reduceat(products, starts, axis=1)
    return np.asarray(nearest.mean(axis=0), np.float32)


def _product(question: Tokens, rows: NDArray[Any]) -> NDArray[Any]:
    """Return the product of each token with each of `rows`, computed by this thread alone."""
    step = max(_ONE_THREAD // question.size, 1)
    return np.concatenate([question @ rows[start : start + step].T for start in range(0, len(rows), step)], axis=1)
