"""What `EmbeddingService` promises, asked of every implementation."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings as the_settings

from memoryserver.embedding.base import EmbeddingModelError, EmbeddingService
from memoryserver.embedding.bundled import BUNDLED_MODEL
from memoryserver.embedding.onnx.service import OnnxService
from memoryserver.embedding.openai_compatible import OpenAICompatibleService
from memoryserver.embedding.sentence_transformer import SentenceTransformerService
from tests.memoryserver.embedding.endpoint import Endpoint
from tests.support.embedder import WordEmbedder

TEXTS = ["the lock is held", "", "a longer text about the backup of the database", "the lock is held", "ü\n\u2028"]


@pytest.fixture(params=["endpoint", "own process", "onnx", "tests"])
def service(request: pytest.FixtureRequest, endpoint: Endpoint) -> EmbeddingService:
    """Each implementation in turn, loaded."""
    if request.param == "own process":
        loaded: EmbeddingService = request.getfixturevalue("real_model")
        return loaded
    if request.param == "onnx":
        return OnnxService(BUNDLED_MODEL)
    return OpenAICompatibleService(endpoint.url, "some-model", "") if request.param == "endpoint" else WordEmbedder()


@pytest.fixture(params=["endpoint", "own process", "onnx"])
def broken(request: pytest.FixtureRequest, endpoint: Endpoint, tmp_path: Path) -> EmbeddingService:
    """Each implementation with a model that is not there; that creating it raises nothing is part of the contract."""
    if request.param == "own process":
        return SentenceTransformerService(str(tmp_path / "nothing"))
    if request.param == "onnx":
        return OnnxService(str(tmp_path / "nothing"))
    endpoint.statuses = [404] * 10
    return OpenAICompatibleService(endpoint.url, "nothing", "")


def test_vectors_are_as_many_finite_numbers_as_the_dimension_says(service: EmbeddingService) -> None:
    vectors = [service.embed(text) for text in TEXTS]

    assert [len(vector) for vector in vectors] == [service.dimension] * len(TEXTS)
    assert all(isinstance(number, float) and math.isfinite(number) for vector in vectors for number in vector)


def test_batch_gives_the_vector_of_each_text_in_their_order(service: EmbeddingService) -> None:
    vectors = service.embed_batch(TEXTS)

    assert len(vectors) == len(TEXTS)
    for vector, text in zip(vectors, TEXTS, strict=True):
        assert vector == pytest.approx(service.embed(text), abs=1e-5)


def test_batch_of_no_texts_is_empty(service: EmbeddingService) -> None:
    assert service.embed_batch([]) == []


def test_threads_at_once_get_the_vectors_that_one_gets(service: EmbeddingService) -> None:
    alone = [service.embed(text) for text in TEXTS]

    with ThreadPoolExecutor(4) as pool:
        at_once = list(pool.map(service.embed, TEXTS * 4))

    for vector, expected in zip(at_once, alone * 4, strict=True):
        assert vector == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda service: service.load(), id="load"),
        pytest.param(lambda service: service.dimension, id="dimension"),
        pytest.param(lambda service: service.embed("a"), id="embed"),
        pytest.param(lambda service: service.embed_batch(["a"]), id="embed_batch"),
    ],
)
def test_every_use_of_a_model_that_is_not_there_raises_the_same_error(
    broken: EmbeddingService, use: Callable[[EmbeddingService], object]
) -> None:
    with pytest.raises(EmbeddingModelError, match="nothing|refused"):
        use(broken)


@pytest.mark.parametrize("implementation", [OpenAICompatibleService, SentenceTransformerService, OnnxService])
def test_implementation_is_created_from_the_settings_alone(
    implementation: Callable[[], EmbeddingService], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(the_settings, "EMBEDDING_MODEL", "the-model")

    assert implementation().model_name == "the-model"
