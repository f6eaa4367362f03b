from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.embedding import EmbeddingService, Vector
from memoryserver.vectors import jobs, token_codes
from memoryserver.vectors.models import Record, TokenCodes
from memoryserver.vectors.reembedding import reembed
from memoryserver.vectors.store import Item, PgVectorStore
from tests.memoryserver.vectors.plane import Digest
from tests.support.embedder import TokenEmbedder, WordEmbedder

BORN = datetime(2026, 1, 2, tzinfo=UTC)


def put(user: User, *texts: str, model: EmbeddingService, name: str = "things", embedded: bool = True) -> None:
    store = PgVectorStore(user)
    store.ensure_collection(name, model=model.model_name, dimension=model.dimension)
    store.upsert(name, [Item(text, text, BORN, vector=model.embed(text) if embedded else None) for text in texts])


def with_codes() -> dict[str, bytes]:
    return {text: bytes(codes) for text, codes in TokenCodes.objects.values_list("record__text", "codes")}


def codes_of(*texts: str) -> dict[str, bytes]:
    return {
        text: vector.codes for text in texts if isinstance(vector := TokenEmbedder().embed(text), embedding.Embedding)
    }


def test_texts_that_were_embedded_without_get_their_codes(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_codes, "BATCH", 2)
    put(alice, "a", "b", "c", model=WordEmbedder())
    put(alice, "has some", model=TokenEmbedder())
    put(alice, "no vector", model=WordEmbedder(), embedded=False)
    put(alice, "of another model", model=Digest(), name="others")

    assert [token_codes.complete(TokenEmbedder(), 60) for _ in range(2)] == [3, 0]
    assert with_codes() == codes_of("a", "b", "c", "has some")


def test_nothing_is_begun_after_the_time(alice: User) -> None:
    put(alice, "a", model=WordEmbedder())

    assert token_codes.complete(TokenEmbedder(), 0) == 0
    assert with_codes() == {}


def test_service_that_tells_no_tokens_is_asked_once(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []

    class Counting(WordEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            asked.append(texts)
            return super().embed_batch(texts)

    monkeypatch.setattr(token_codes, "BATCH", 1)
    put(alice, "a", "b", model=WordEmbedder())

    assert token_codes.complete(Counting(), 60) == 0
    assert (asked, with_codes()) == ([["a"]], {})


def test_text_that_changes_or_goes_meanwhile_gets_none(alice: User) -> None:
    class Meanwhile(TokenEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            Record.objects.filter(text="a").update(text="changed")
            Record.objects.filter(text="b").delete()
            return super().embed_batch(texts)

    put(alice, "a", "b", "c", model=WordEmbedder())

    assert token_codes.complete(Meanwhile(), 60) == 1
    assert with_codes() == codes_of("c")


def test_codes_of_the_former_model_end_with_its_vectors(alice: User) -> None:
    put(alice, "a", model=TokenEmbedder())
    reembed(Digest())

    assert with_codes() == {}


def test_job_completes_by_the_service_of_the_server(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    put(alice, "a", model=WordEmbedder())
    monkeypatch.setattr(embedding, "service", TokenEmbedder)

    assert jobs.complete_token_codes() == 1
    assert with_codes() == codes_of("a")
