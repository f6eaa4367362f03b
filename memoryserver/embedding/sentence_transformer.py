"""Embedding by a sentence-transformers model in this process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryserver.embedding.base import EmbeddingModelError, Vector
from memoryserver.embedding.bundled import BUNDLED_MODEL, bundled_folder
from memoryserver.embedding.services import InProcessService

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_BATCH_SIZE = 32

_FEW = 16
"""Texts that are embedded by one thread of torch.

Several spin while they wait for each other, which costs more than they gain where a pass is short and the cores have
other work: one question took 120 ms by one thread and 770 by two, on two busy cores.
"""


class SentenceTransformerService(InProcessService["SentenceTransformer"]):
    """The model named by the setting EMBEDDING_MODEL: the bundled one, a folder, or a name on the Hugging Face hub."""

    @property
    def dimension(self) -> int:
        """Length of the vectors; loads the model."""
        dimension = self._loaded().get_embedding_dimension()
        if dimension is None:
            raise EmbeddingModelError(f"{self._model_name} does not report its dimension; use another model")
        return int(dimension)

    def _load(self) -> SentenceTransformer:
        return _load(self._model_name)

    def _encode(self, model: SentenceTransformer, texts: Sequence[str]) -> list[Vector]:
        _use_threads(1 if len(texts) <= _FEW else None)
        vectors: Any = model.encode(
            list(texts), batch_size=_BATCH_SIZE, normalize_embeddings=True, show_progress_bar=False
        )
        embedded: list[Vector] = vectors.tolist()
        return embedded


def _load(name: str) -> SentenceTransformer:
    """Load the model. Importing sentence-transformers takes seconds, so it is imported here."""
    source = str(bundled_folder()) if name == BUNDLED_MODEL else name
    if Path(source).exists():
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # a local model needs no request to the hub
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as model_logging

        model_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(source, device="cpu")
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:300]
        raise EmbeddingModelError(
            f"the embedding model {name!r} cannot be loaded ({reason}); check MEMORYSERVER_EMBEDDING_MODEL"
        ) from error


def _use_threads(number: int | None) -> None:
    """Have torch compute by `number` threads when this thread calls it, by its default number if None."""
    import torch

    default = _default_threads()
    torch.set_num_threads(default if number is None else number)


@cache
def _default_threads() -> int:
    """Return torch's number of threads, by cores and OMP_NUM_THREADS; `_use_threads` asks before it changes any."""
    import torch

    return torch.get_num_threads()
