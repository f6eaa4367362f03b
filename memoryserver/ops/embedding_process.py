"""The embedding process: it alone holds the model, and embeds for the web processes and job workers of a machine.

It needs no app of Django and no database, only settings, and so starts in half a second.
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from pathlib import Path

from django.conf import settings
from django.utils.log import configure_logging
from django.utils.module_loading import import_string

from memoryserver.common.files import LockTimeoutError, lock
from memoryserver.embedding import choice, memory
from memoryserver.embedding.base import EmbeddingModelError, EmbeddingService, EmbeddingUnavailableError
from memoryserver.embedding.former import FormerModels
from memoryserver.embedding.shared import address
from memoryserver.embedding.shared.client import responds
from memoryserver.embedding.shared.server import EmbeddingServer
from memoryserver.ops.watchdog import SupervisorGoneError, Watchdog, notify_systemd

logger = logging.getLogger(__name__)

FIRST_INTERVAL, SIGN_INTERVAL = 0.02, 2.0  # seconds until the first sign of life, and between two
RETRY = 60.0  # seconds until a model that could not be loaded is tried again
STOP_LIMIT = 20.0  # seconds for the requests that run


_NOTHING_TO_DO = (
    "manage.py: there is no model to run: MEMORYSERVER_EMBEDDING_URL names an endpoint, or "
    "MEMORYSERVER_EMBEDDING_SERVICE a class that each process creates for itself"
)


class EmbeddingProcessError(Exception):
    """The process cannot start; the text says why and what to do."""


class Models:
    """The configured model, and others that the clients still have vectors of, each loaded when first needed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._service: EmbeddingService | None = None
        self._reason = f"the embedding model {name!r} is being loaded"
        self._others = FormerModels(lambda other: import_string(choice.runtimes(other)[0])(other))

    def load(self) -> None:
        """Load the configured model; try again each minute until it succeeds."""
        while self._service is None:
            started = time.monotonic()
            try:
                self._service = _loaded(self._name)
            except EmbeddingModelError as error:
                self._reason = str(error)
                logger.error("embedding model not loaded", extra={"reason": self._reason})  # noqa: TRY400
                time.sleep(RETRY)
            else:
                kind = type(self._service).__name__
                seconds = round(time.monotonic() - started, 1)
                logger.info("embedding model loaded", extra={"seconds": seconds, "by": kind})

    def __call__(self, name: str) -> EmbeddingService:
        """Return the service of the model `name`. Raises EmbeddingUnavailableError until it is loaded."""
        service = self._service if name == self._name else self._others.ready_service(name)
        if service is None:
            raise EmbeddingUnavailableError(self._reason if name == self._name else f"{name!r} is being loaded")
        return service


def _loaded(name: str) -> EmbeddingService:
    """Return the service of the model, loaded: by the first class of those to try that can."""
    *others, last = [import_string(path) for path in choice.runtimes(name)]
    for kind in others:
        service: EmbeddingService = kind(name)
        try:
            service.load()
        except EmbeddingModelError as error:
            logger.warning("embedding model not loaded", extra={"by": kind.__name__, "reason": str(error)})
        else:
            return service
    service = last(name)
    service.load()
    return service


def run(path: Path) -> None:
    """Serve at the socket `path` until SIGTERM or Ctrl-C. Raises EmbeddingProcessError."""
    try:
        address.make_folder(path)
        with lock(path.with_suffix(".lock"), timeout=0):
            _serve(path)
    except LockTimeoutError as error:
        raise EmbeddingProcessError(f"another embedding process uses {path}: {error}") from error
    except (EmbeddingModelError, OSError) as error:
        raise EmbeddingProcessError(str(error)) from error


def _serve(path: Path) -> None:
    models = Models(settings.EMBEDDING_MODEL)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    server = EmbeddingServer(path, models)
    for name, target in (("accept", server.serve_forever), ("model", models.load)):
        threading.Thread(target=target, name=f"embedding-{name}", daemon=True).start()
    notify_systemd("READY=1")
    watchdog = Watchdog()
    interval = FIRST_INTERVAL
    while not stop.wait(interval):
        interval = SIGN_INTERVAL
        server.rest()
        if responds(path):
            try:
                watchdog.alive()
            except SupervisorGoneError:
                break
    server.finish(STOP_LIMIT)


def main() -> None:
    """Run the process that `manage.py embedding` and `manage.py up` start; reports an error in one line."""
    if not choice.can_be_shared():
        raise SystemExit(_NOTHING_TO_DO)
    memory.share_heap()
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
    path = Path(settings.EMBEDDING_SOCKET or address.default_socket(settings.DATA_DIR))
    try:
        run(path)
    except EmbeddingProcessError as error:
        raise SystemExit(f"manage.py: {error}") from error
