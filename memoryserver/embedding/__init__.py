"""The embedding service of this process, and whether it is ready.

Loading takes some ten seconds and 700 MB, so the web process loads it in the background and meanwhile calls
`ready_service`, which never waits.
"""

from __future__ import annotations

import logging
import threading
import time
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from memoryserver.embedding.background import Background, background
from memoryserver.embedding.base import EmbeddingModelError, EmbeddingService, Vector

__all__ = [
    "Background",
    "EmbeddingModelError",
    "EmbeddingService",
    "Vector",
    "background",
    "load",
    "load_in_background",
    "ready_service",
    "service",
]

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 60.0
_loaded = threading.Event()


@cache
def service() -> EmbeddingService:
    """Return the service named by the setting EMBEDDING_SERVICE, created on first use; its model is not loaded yet."""
    instance: EmbeddingService = import_string(settings.EMBEDDING_SERVICE)()
    return instance


def ready_service() -> EmbeddingService | None:
    """Return the service if its model is loaded in this process, else None; never waits."""
    return service() if _loaded.is_set() else None


def load() -> None:
    """Load the model in this process and measure its background; from then on `ready_service` returns it.

    Raises EmbeddingModelError.
    """
    service().load()
    background(service())
    _loaded.set()


def load_in_background() -> threading.Thread:
    """Start and return a thread that loads the model, retrying each minute until it succeeds."""
    thread = threading.Thread(target=_load_until_it_succeeds, name="embedding-model", daemon=True)
    thread.start()
    return thread


def _load_until_it_succeeds() -> None:
    while not _loaded.is_set():
        started = time.monotonic()
        try:
            load()
        except EmbeddingModelError as error:
            logger.warning("embedding model not loaded, searches stay lexical", extra={"reason": str(error)})
            time.sleep(_RETRY_SECONDS)
        else:
            logger.info("embedding model loaded", extra={"seconds": round(time.monotonic() - started, 1)})
