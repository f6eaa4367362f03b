"""Vectors as they go over the socket: little-endian numbers of four bytes in base64, a form that OpenAI's API has too.

As decimal text they would take four times the bytes, and reading them longer than a short text's forward pass.
"""

from __future__ import annotations

import base64
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from memoryserver.embedding.base import Embedding, Vector

ENCODING = "base64"

CODES, TOKENS = "codes", "tokens"
"""Fields of a vector in an answer, where the model tells its tokens; a request with `"tokens": true` gets both."""

SECONDS = "model_seconds"
"""Field of an answer, beside OpenAI's: how long the model computed."""


def packed(vector: Sequence[float]) -> str:
    """Return `vector` as text."""
    return base64.b64encode(_little_endian(array("f", vector)).tobytes()).decode()


def unpacked(text: str) -> Vector:
    """Return the vector that `packed` wrote. Raises ValueError if `text` is something else."""
    numbers = array("f")
    numbers.frombytes(base64.b64decode(text, validate=True))
    return _little_endian(numbers).tolist()


def of_tokens(vector: Sequence[float], *, tokens: bool) -> dict[str, str]:
    """Return the fields for what `vector` has of its tokens: the codes, and with `tokens` their vectors."""
    if not isinstance(vector, Embedding) or not vector.codes:
        return {}
    parts = {CODES: vector.codes, **({TOKENS: vector.tokens} if tokens else {})}
    return {name: base64.b64encode(part).decode() for name, part in parts.items()}


def embedding(row: Mapping[str, Any]) -> Vector:
    """Return the vector in a row of an answer, with what it has of its tokens. Raises ValueError."""
    vector = unpacked(row["embedding"])
    if CODES not in row:
        return vector
    codes, tokens = (base64.b64decode(row.get(name, ""), validate=True) for name in (CODES, TOKENS))
    return Embedding(vector, codes, tokens)


def _little_endian(numbers: array[float]) -> array[float]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
