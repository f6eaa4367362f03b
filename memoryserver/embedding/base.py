"""What an embedding service is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

Vector = list[float]
"""One embedding: `dimension` finite floats."""


class EmbeddingModelError(Exception):
    """The model cannot be loaded, or cannot embed what it was given; the text says why and what to do."""


class EmbeddingService(Protocol):
    """Turns texts into vectors whose cosine distance is small where the meanings are near.

    Making one is cheap; the model is loaded at the first use, in the process that embeds, never before a
    fork. Safe to call from several threads.
    """

    @property
    def model_name(self) -> str:
        """Under which name collections remember the model; vectors of two models are never compared."""

    @property
    def dimension(self) -> int:
        """Length of the vectors. May load the model; raises EmbeddingModelError."""

    def load(self) -> None:
        """Load the model now, so that the next call is quick. Raises EmbeddingModelError."""

    def embed(self, text: str) -> Vector:
        """The vector of `text`. Raises EmbeddingModelError."""

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of `texts`, in their order; quicker than one by one. Raises EmbeddingModelError."""
