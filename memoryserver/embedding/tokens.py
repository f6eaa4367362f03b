"""Vectors of the tokens of texts, and how near a question is to a text by them.

The vector of a text is the mean of its tokens', in which a detail is lost that a question asks for. Compared token by
token ("late interaction": the mean over the question's tokens of the nearest of the text's) it is found. Of a text only
the sign of each number is kept, 48 bytes a token for the bundled model, which order texts as well as the numbers
themselves (docs/search.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoryserver.embedding.base import Embedding

MAX_TOKENS = 64
"""Tokens of a text that are kept."""

_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1).astype(np.float32)
"""The bits of each byte; to look them up takes half as long as to unpack them."""

Tokens = NDArray[np.float32]
"""The vectors of a text's tokens, one in each row, of length 1."""


def embedding(vector: Sequence[float], tokens: Tokens) -> Embedding:
    """Return the vector of a text with what is kept of its tokens."""
    vectors = tokens[:MAX_TOKENS].astype("<f2")
    return Embedding(vector, np.packbits(vectors > 0, axis=1).tobytes(), vectors.tobytes())


def unpacked(tokens: bytes, dimension: int) -> Tokens:
    """Return the tokens of `Embedding.tokens`. Raises ValueError if they are not of this dimension."""
    return np.frombuffer(tokens, "<f2").reshape(-1, dimension).astype(np.float32)


def similarities(questions: Sequence[Tokens], texts: Sequence[bytes]) -> list[NDArray[np.float32]]:
    """Return the similarities of each of `questions` to each of `texts`, by their `Embedding.codes`: about 0 to 1.

    Raises ValueError if a text has no tokens or is of another dimension.
    """
    dimension = questions[0].shape[1]
    width = -(-dimension // 8)
    sizes = np.array([len(codes) for codes in texts])
    if (sizes == 0).any() or (sizes % width).any():
        raise ValueError(f"codes of texts must have {width} bytes for each token")
    bits = np.take(_BITS, np.frombuffer(b"".join(texts), np.uint8), axis=0).reshape(-1, 8 * width)[:, :dimension]
    starts = np.concatenate([[0], np.cumsum(sizes // width)[:-1]])
    # With signs for bits: the product with 2 * bit - 1, whose largest is that of the largest product with the bit.
    question = np.concatenate(questions)
    largest = np.maximum.reduceat(bits @ question.T, starts, axis=0)
    nearest = (2 * largest - question.sum(axis=1)) / np.sqrt(dimension)
    ends = np.cumsum([len(each) for each in questions])
    return [part.mean(axis=1) for part in np.split(nearest, ends[:-1], axis=1)]
