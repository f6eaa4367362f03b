"""Embedding by ONNX Runtime in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from memoryserver.embedding.base import EmbeddingModelError, Vector
from memoryserver.embedding.bundled import BUNDLED_MODEL, bundled_folder

if TYPE_CHECKING:
    from memoryserver.embedding.onnx.encoder import Encoder


class OnnxService:
    """The model named by the setting EMBEDDING_MODEL: the bundled one, or a folder.

    Its vectors are those of sentence-transformers (cosine above 0.9999), so both use the same collections.
    """

    def __init__(self, model_name: str | None = None, *, int8: bool | None = None) -> None:
        self._model_name = model_name or settings.EMBEDDING_MODEL
        self._int8 = settings.EMBEDDING_PRECISION == "int8" if int8 is None else int8
        self._encoder: Encoder | None = None
        self._lock = threading.Lock()

    @property
    def model_name(self) -> str:
        """The configured name."""
        return self._model_name

    @property
    def dimension(self) -> int:
        """Length of the vectors; loads the model."""
        return self._loaded().dimension

    def load(self) -> None:
        """Load the model unless it is loaded."""
        self._loaded()

    def embed(self, text: str) -> Vector:
        """Return the vector of `text`, normalised to length 1."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of `texts`, normalised to length 1. Text beyond the model's input limit is ignored."""
        if not texts:
            return []
        encoder = self._loaded()
        try:
            return encoder.encode(texts)
        except Exception as error:  # ONNX Runtime's errors have no common class of their own
            raise EmbeddingModelError(f"{self._model_name} could not embed {len(texts)} texts: {error}") from error

    def _loaded(self) -> Encoder:
        with self._lock:
            if self._encoder is None:
                self._encoder = _load(self._model_name, int8=self._int8)
            return self._encoder


def _load(name: str, *, int8: bool) -> Encoder:
    try:
        from memoryserver.embedding.onnx.encoder import Encoder

        return Encoder(_folder(name), int8=int8)
    except ImportError as error:
        raise EmbeddingModelError(
            f"no model can be loaded, since neither sentence-transformers nor ONNX Runtime is installed ({error}); "
            "run: pip install 'memoryserver[light]'"
        ) from error
    except EmbeddingModelError as error:
        raise EmbeddingModelError(
            f"the embedding model {name!r} cannot be loaded ({error}); check MEMORYSERVER_EMBEDDING_MODEL"
        ) from error


def _folder(name: str) -> Path:
    folder = bundled_folder() if name == BUNDLED_MODEL else Path(name)
    if not folder.is_dir():
        raise EmbeddingModelError("there is no such folder, and a name of the hub needs sentence-transformers")
    return folder
