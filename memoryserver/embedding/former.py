"""The model of vectors that have not been moved to the configured model yet.

After the setting changes, the stored vectors stay those of the former model until `manage.py reembed` has switched
them. Until then queries are embedded by the former model, so that searches by meaning continue.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.utils.module_loading import import_string

from memoryserver.embedding import choice
from memoryserver.embedding.background import background
from memoryserver.embedding.base import EmbeddingModelError, EmbeddingService, EmbeddingUnavailableError
from memoryserver.embedding.bundled import BUNDLED_MODEL
from memoryserver.embedding.openai_compatible import OpenAICompatibleService
from memoryserver.embedding.shared.client import SharedService

logger = logging.getLogger(__name__)

RETRY_SECONDS = 300.0
_PAUSE = 0.5


def service_of(model_name: str) -> EmbeddingService:
    """Return the service of the model: the bundled one, a folder, or a name at the endpoint or on the hub.

    The embedding process, where there is one, loads a model that it is asked for.
    """
    if settings.EMBEDDING_URL and model_name != BUNDLED_MODEL and not Path(model_name).exists():
        return OpenAICompatibleService(model_name=model_name)
    if settings.EMBEDDING_SERVICE == choice.SHARED:
        return SharedService(model_name)
    service: EmbeddingService = import_string(choice.runtime())(model_name)
    return service


@dataclass
class _Model:
    service: EmbeddingService
    loaded: threading.Event = field(default_factory=threading.Event)
    retry_at: float = 0.0


class FormerModels:
    """Loads models in the background, each when it is first needed; thread-safe."""

    def __init__(self, create: Callable[[str], EmbeddingService] = service_of, retry: float = RETRY_SECONDS) -> None:
        self._create = create
        self._retry = retry
        self._models: dict[str, _Model] = {}
        self._lock = threading.Lock()

    def ready_service(self, model_name: str) -> EmbeddingService | None:
        """Return the service of the model if it is loaded; else start to load it, and return None without waiting."""
        with self._lock:
            model = self._models.get(model_name)
            if model is None:
                model = self._models[model_name] = _Model(self._create(model_name))
            if model.loaded.is_set():
                return model.service
            if time.monotonic() >= model.retry_at:
                model.retry_at = time.monotonic() + self._retry
                threading.Thread(target=_load, args=(model,), name="former-embedding-model", daemon=True).start()
            return None


def _load(model: _Model) -> None:
    try:
        _load_once_possible(model)
    except EmbeddingModelError as error:
        logger.warning(
            "former embedding model not loaded, searches stay lexical until reembed has finished",
            extra={"model": model.service.model_name, "reason": str(error)},
        )
    else:
        model.loaded.set()


def _load_once_possible(model: _Model) -> None:
    """Load the model; while the embedding process still loads it, or does not run, ask again until the next attempt.

    Raises EmbeddingModelError.
    """
    while True:
        try:
            model.service.load()
            background(model.service)
        except EmbeddingUnavailableError:
            if time.monotonic() >= model.retry_at:
                raise
            time.sleep(_PAUSE)
        else:
            return


former_models = FormerModels()
"""The former models of this process."""
