"""The embedding service of this process, and whether it is ready.

A model takes seconds and hundreds of megabytes to load, so `manage.py up` has one process that embeds for all others
(`embedding.shared`). A web process waits for that, or loads the model itself, in the background, and meanwhile calls
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
from memoryserver.embedding.base import (
    Embedding,
    EmbeddingInterruptedError,
    EmbeddingModelError,
    EmbeddingService,
    EmbeddingUnavailableError,
    Vector,
)
from memoryserver.embedding.shared.client import SharedService

__all__ = [
    "Background",
    "Embedding",
    "EmbeddingInterruptedError",
    "EmbeddingModelError",
    "EmbeddingService",
    "EmbeddingUnavailableError",
    "Vector",
    "background",
    "fault",
    "load",
    "load_in_background",
    "ready_service",
    "service",
]

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 60.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 10.0  # seconds; while the embedding process starts
_loads_in_background = threading.Event()
_loaded = threading.Event()
_failures: list[str] = []  # the last reason why the model could not be loaded, if any


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


def fault() -> str | None:
    """Return why nothing can be embedded at the moment, or None. Waits at most two seconds.

    A process that does not load the model in advance, such as a job worker, knows of the embedding process alone.
    """
    if _loads_in_background.is_set() and not _loaded.is_set():
        return f"it could not be loaded ({_failures[-1]}), and is tried again" if _failures else "still loading"
    used = service()
    return used.fault() if isinstance(used, SharedService) else None


def load_in_background() -> threading.Thread:
    """Start and return a thread that loads the model, retrying each minute until it succeeds."""
    _loads_in_background.set()
    thread = threading.Thread(target=_load_until_it_succeeds, name="embedding-model", daemon=True)
    thread.start()
    return thread


def _load_until_it_succeeds() -> None:
    pause = _FIRST_PAUSE
    while not _loaded.is_set():
        started = time.monotonic()
        try:
            load()
        except EmbeddingUnavailableError as error:
            pause = min(pause * 2, _LONGEST_PAUSE)
            if pause == _LONGEST_PAUSE:
                _failures[:] = [str(error)]
                logger.warning("searches stay lexical", extra={"reason": str(error)})
            time.sleep(pause)
        except EmbeddingModelError as error:
            _failures[:] = [str(error)]
            logger.warning("embedding model not loaded, searches stay lexical", extra={"reason": str(error)})
            time.sleep(_RETRY_SECONDS)
        else:
            shared = isinstance(service(), SharedService)
            what = "embedding process responds" if shared else "embedding model loaded"
            logger.info(what, extra={"seconds": round(time.monotonic() - started, 1)})
