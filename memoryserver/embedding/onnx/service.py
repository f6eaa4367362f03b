"""Embedding by ONNX Runtime in this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from memoryserver.embedding.base import EmbeddingModelError, Vector
from memoryserver.embedding.bundled import BUNDLED_MODEL, bundled_folder
from memoryserver.embedding.services import InProcessService

if TYPE_CHECKING:
    from memoryserver.embedding.onnx.encoder import Encoder


class OnnxService(InProcessService["Encoder"]):
    """The model named by the setting EMBEDDING_MODEL: the bundled one, or a folder.

    Its vectors are those of sentence-transformers (cosine above 0.9999), so both use the same collections.
    """

    def __init__(self, model_name: str | None = None, *, int8: bool | None = None) -> None:
        super().__init__(model_name)
        self._int8 = settings.EMBEDDING_PRECISION == "int8" if int8 is None else int8

    @property
    def dimension(self) -> int:
        """Length of the vectors; loads the model."""
        return self._loaded().dimension

    def _load(self) -> Encoder:
        return _load(self._model_name, int8=self._int8)

    def _encode(self, model: Encoder, texts: Sequence[str]) -> list[Vector]:
        return list(model.encode(texts))


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
