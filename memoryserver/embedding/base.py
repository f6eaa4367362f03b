"""The interface of embedding services."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

Vector = list[float]
"""One embedding: `dimension` finite floats."""


class Embedding(list[float]):
    """A vector by a model that tells its tokens too (see `embedding.tokens`).

    `codes` are the signs of the tokens' vectors, to be stored with a text; `tokens` are these vectors themselves, in
    numbers of two bytes, for a question. Either may be left out: empty.
    """

    def __init__(self, vector: Iterable[float], codes: bytes = b"", tokens: bytes = b"") -> None:
        super().__init__(vector)
        self.codes = codes
        self.tokens = tokens


class EmbeddingModelError(Exception):
    """The model cannot be loaded, or failed to embed; the text says why and what to do."""


class EmbeddingUnavailableError(EmbeddingModelError):
    """There is nothing to embed with at the moment, whatever the texts; try again in a few seconds."""


class EmbeddingInterruptedError(EmbeddingUnavailableError):
    """What embeds ended, or hung, while it embedded these texts, which may be the cause."""


class PendingTexts(Protocol):
    """Texts that are being embedded while the caller does something else."""

    def vectors(self, timeout: float) -> list[Vector]:
        """Return their vectors. Raises EmbeddingModelError, and TimeoutError after `timeout` seconds."""


class EmbeddingService(Protocol):
    """Turns texts into vectors whose cosine distance is small if their meanings are close.

    Creating one is cheap; the model is loaded on first use, in the process that embeds, never before a fork.
    Thread-safe.
    """

    @property
    def model_name(self) -> str:
        """Name of the model, stored with each collection; vectors of two models are never compared."""

    @property
    def dimension(self) -> int:
        """Length of the vectors. May load the model; raises EmbeddingModelError."""

    def load(self) -> None:
        """Load the model now, so that the next call is fast. Raises EmbeddingModelError."""

    def embed(self, text: str) -> Vector:
        """Return the vector of `text`. Raises EmbeddingModelError."""

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of `texts`, in their order; faster than single calls. Raises EmbeddingModelError."""
