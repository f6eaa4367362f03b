"""What embedding services share: a base for those with the model in this process, and one for those that ask for it."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from django.conf import settings

from memoryserver.embedding.base import EmbeddingModelError, Vector

BATCH = 64
"""The most texts of one request."""

Model = TypeVar("Model")


class NamedService(ABC):
    """A service of the model `model_name`, by default that of the setting EMBEDDING_MODEL."""

    def __init__(self, model_name: str | None = None) -> None:
        self._model_name = model_name or settings.EMBEDDING_MODEL

    @property
    def model_name(self) -> str:
        """The configured name."""
        return self._model_name

    def embed(self, text: str) -> Vector:
        """Return the vector of `text`. Raises EmbeddingModelError."""
        return self.embed_batch([text])[0]

    @abstractmethod
    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of `texts`, in their order. Raises EmbeddingModelError."""


class InProcessService(NamedService, Generic[Model]):
    """A service that loads its model into this process on first use, once for all threads."""

    def __init__(self, model_name: str | None = None) -> None:
        super().__init__(model_name)
        self._model: Model | None = None
        self._loading = threading.Lock()

    def load(self) -> None:
        """Load the model unless it is loaded. Raises EmbeddingModelError."""
        self._loaded()

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of `texts`, normalised to length 1. Text beyond the model's input limit is ignored."""
        if not texts:
            return []
        model = self._loaded()
        try:
            return self._encode(model, texts)
        except Exception as error:  # the libraries' errors have no common class
            raise EmbeddingModelError(f"{self._model_name} could not embed {len(texts)} texts: {error}") from error

    def _loaded(self) -> Model:
        with self._loading:
            if self._model is None:
                self._model = self._load()
            return self._model

    @abstractmethod
    def _load(self) -> Model:
        """Return the model. Raises EmbeddingModelError."""

    @abstractmethod
    def _encode(self, model: Model, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of `texts`, of which there is at least one; may raise anything."""


class RequestingService(NamedService):
    """A service that asks another process for vectors, in requests of at most BATCH texts."""

    def __init__(self, model_name: str | None = None) -> None:
        super().__init__(model_name)
        self._dimension: int | None = None
        self._asking = threading.Lock()

    @property
    def dimension(self) -> int:
        """Length of the vectors; found by one request. Raises EmbeddingModelError."""
        with self._asking:
            if self._dimension is None:
                self._dimension = len(self.embed("dimension"))
            return self._dimension

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of `texts`, in their order. Raises EmbeddingModelError."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            vectors += self._request(texts[start : start + BATCH])
        return vectors

    @abstractmethod
    def _request(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of 1 to BATCH `texts`. Raises EmbeddingModelError."""
