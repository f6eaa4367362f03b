"""Vectors as they go over the socket: little-endian numbers of four bytes in base64, a form that OpenAI's API has too.

As decimal text they would take four times the bytes, and reading them longer than a short text's forward pass.
"""

from __future__ import annotations

import base64
import sys
from array import array
from collections.abc import Sequence

from memoryserver.embedding.base import Vector

ENCODING = "base64"

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


def _little_endian(numbers: array[float]) -> array[float]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
