"""The model of vectors that have not been moved yet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from memoryserver.embedding import EmbeddingModelError, EmbeddingUnavailableError, choice
from memoryserver.embedding.bundled import BUNDLED_MODEL
from memoryserver.embedding.former import FormerModels, service_of
from memoryserver.embedding.openai_compatible import OpenAICompatibleService
from memoryserver.embedding.sentence_transformer import SentenceTransformerService
from memoryserver.embedding.shared.client import SharedService
from tests.support.embedder import WordEmbedder


class Slow(WordEmbedder):
    """Loads when it may, or fails to as often as it should."""

    def __init__(self, failures: int = 0) -> None:
        self.may_load = threading.Event()
        self.attempts = 0
        self._failures = failures

    def load(self) -> None:
        self.attempts += 1
        self.may_load.wait(30)
        if self.attempts <= self._failures:
            raise EmbeddingModelError("no such folder")


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_model_is_loaded_once_in_the_background() -> None:
    model = Slow()
    former = FormerModels(lambda _: model)

    assert [former.ready_service("old"), former.ready_service("old")] == [None, None]
    model.may_load.set()
    until(lambda: former.ready_service("old"))

    assert (former.ready_service("old"), model.attempts) == (model, 1)


def test_model_that_cannot_be_loaded_is_tried_again_later() -> None:
    model = Slow(failures=1)
    model.may_load.set()
    patient, eager = FormerModels(lambda _: model), FormerModels(lambda _: model, retry=0.0)

    assert patient.ready_service("old") is None
    until(lambda: model.attempts == 1)
    assert patient.ready_service("old") is None
    until(lambda: eager.ready_service("old"))

    assert eager.ready_service("old") is model


class InAnotherProcess(Slow):
    """A process that first says that it still loads the model."""

    def load(self) -> None:
        self.attempts += 1
        if not self.may_load.is_set():
            raise EmbeddingUnavailableError("'old' is being loaded")


def test_model_that_another_process_still_loads_is_asked_for_until_it_is_there() -> None:
    model = InAnotherProcess()
    former = FormerModels(lambda _: model)

    assert former.ready_service("old") is None
    until(lambda: model.attempts >= 1)
    model.may_load.set()
    until(lambda: former.ready_service("old"))

    assert former.ready_service("old") is model


def test_model_that_another_process_never_has_is_given_up_until_the_next_attempt() -> None:
    model = InAnotherProcess()
    former = FormerModels(lambda _: model, retry=0.0)

    assert former.ready_service("old") is None
    until(lambda: model.attempts == 1)
    time.sleep(0.7)
    assert model.attempts == 1


@pytest.mark.parametrize(
    ("url", "name", "kind"),
    [
        ("", "some/model", SentenceTransformerService),
        ("http://127.0.0.1:9/v1", "some/model", OpenAICompatibleService),
        ("http://127.0.0.1:9/v1", BUNDLED_MODEL, SentenceTransformerService),
    ],
    ids=["no endpoint", "name at the endpoint", "bundled"],
)
def test_service_is_chosen_by_the_models_name(url: str, name: str, kind: type, settings: Any) -> None:
    settings.EMBEDDING_URL = url

    service = service_of(name)

    assert (type(service), service.model_name) == (kind, name)


def test_folder_is_loaded_in_this_process_beside_an_endpoint(tmp_path: object, settings: Any) -> None:
    settings.EMBEDDING_URL = "http://127.0.0.1:9/v1"

    assert type(service_of(str(tmp_path))) is SentenceTransformerService


def test_former_model_is_asked_of_the_embedding_process_where_there_is_one(settings: Any) -> None:
    settings.EMBEDDING_SERVICE, settings.EMBEDDING_SOCKET = choice.SHARED, "/run/embedding.sock"

    service = service_of("some/model")

    assert (type(service), service.model_name) == (SharedService, "some/model")
