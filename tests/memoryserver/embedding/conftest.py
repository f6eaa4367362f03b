from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from memoryserver.embedding.bundled import BUNDLED_MODEL
from memoryserver.embedding.sentence_transformer import SentenceTransformerService
from tests.memoryserver.embedding.endpoint import Endpoint


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setattr("memoryserver.embedding.openai_compatible._FIRST_PAUSE", 0.001)
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def real_model() -> SentenceTransformerService:
    """The model by torch, beside which the other implementations are put; loading it takes seconds."""
    model = SentenceTransformerService(BUNDLED_MODEL)
    model.load()
    return model
