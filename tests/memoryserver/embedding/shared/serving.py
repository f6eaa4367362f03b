"""A server of the embedding process within the tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memoryserver.embedding import EmbeddingService, EmbeddingUnavailableError
from memoryserver.embedding.shared.server import EmbeddingServer


@contextmanager
def serving(path: Path, *services: EmbeddingService) -> Iterator[EmbeddingServer]:
    """Serve these models at the socket."""

    def model(name: str) -> EmbeddingService:
        for service in services:
            if service.model_name == name:
                return service
        raise EmbeddingUnavailableError(f"{name} is being loaded")

    server = EmbeddingServer(path, model)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    try:
        yield server
    finally:
        server.finish(5)
        thread.join()
