from __future__ import annotations

from collections.abc import Sequence

import pytest
from asgiref.sync import async_to_sync

from ghap.intake import receive
from ghap.models import Entry
from ghap.persister import ObservationPersister
from memoryserver.accounts.models import User
from memoryserver.embedding import EmbeddingModelError, Vector
from memoryserver.search.service import Search, search
from memoryserver.vectors.models import Collection, Record
from memoryserver.vectors.store import PgVectorStore, VectorStoreError
from tests.support.embedder import WordEmbedder
from tests.support.rows.ghap_entries import body, entry, falsified, falsified_entry


class CountingEmbedder(WordEmbedder):
    """Remembers what it was asked to embed."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        self.texts += texts
        return super().embed_batch(texts)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def persister(alice: User, embedder: CountingEmbedder) -> ObservationPersister:
    return ObservationPersister(embedder, PgVectorStore(alice))


def stored() -> set[tuple[str, str]]:
    return set(Record.objects.exclude(embedding=None).values_list("collection", "key"))


def test_falsified_entry_is_stored_along_four_axes(persister: ObservationPersister) -> None:
    one = falsified_entry()

    async_to_sync(persister.persist)(one)

    assert stored() == {(f"ghap_{axis}", one.id) for axis in ("full", "strategy", "surprise", "root_cause")}


def test_confirmed_entry_is_stored_along_two(persister: ObservationPersister) -> None:
    one = entry()

    async_to_sync(persister.persist)(one)

    assert stored() == {("ghap_full", one.id), ("ghap_strategy", one.id)}


def test_stored_record_has_text_payload_and_vector(persister: ObservationPersister) -> None:
    from ghap.axes import axis_texts, payload

    one = entry()
    async_to_sync(persister.persist)(one)

    record = Record.objects.get(collection="ghap_full")
    assert record.text == axis_texts(one)["full"]
    assert record.payload == payload(one, "full")
    assert list(record.embedding) == pytest.approx(WordEmbedder().embed(record.text), abs=1e-6)


def test_prefix_names_the_collections(alice: User, embedder: CountingEmbedder) -> None:
    async_to_sync(ObservationPersister(embedder, PgVectorStore(alice), "trial").ensure_collections)()

    assert set(Collection.objects.values_list("name", "model", "dimension")) == {
        (f"trial_{axis}", "words-64", 64) for axis in ("full", "strategy", "surprise", "root_cause")
    }


def test_same_entry_again_costs_no_embedding(persister: ObservationPersister, embedder: CountingEmbedder) -> None:
    async_to_sync(persister.persist)(falsified_entry())
    first = len(embedder.texts)

    async_to_sync(persister.persist)(falsified_entry())

    assert (first, len(embedder.texts)) == (4, 4)


def test_changed_field_embeds_only_the_axes_it_is_part_of(
    persister: ObservationPersister, embedder: CountingEmbedder
) -> None:
    async_to_sync(persister.persist)(falsified_entry())
    embedder.texts.clear()

    async_to_sync(persister.persist)(falsified_entry(surprise="The disk was full"))

    assert [text.splitlines()[0].split(":")[0] for text in embedder.texts] == ["Goal", "Expected"]


def test_changed_tier_changes_the_payload_and_embeds_nothing(
    persister: ObservationPersister, embedder: CountingEmbedder
) -> None:
    async_to_sync(persister.persist)(entry())
    embedder.texts.clear()

    async_to_sync(persister.persist)(entry(confidence_tier="bronze"))

    assert embedder.texts == []
    assert {row.payload["confidence_tier"] for row in Record.objects.all()} == {"bronze"}
    assert len(stored()) == 2


def test_axis_that_no_longer_applies_loses_its_record(persister: ObservationPersister) -> None:
    async_to_sync(persister.persist)(falsified_entry())

    async_to_sync(persister.persist)(falsified_entry(root_cause=None))

    assert {collection for collection, _ in stored()} == {"ghap_full", "ghap_strategy", "ghap_surprise"}


def test_staged_entry_is_there_without_a_vector_and_gets_it_later(persister: ObservationPersister) -> None:
    persister.stage([entry()])
    staged = set(Record.objects.values_list("collection", "embedding"))

    async_to_sync(persister.persist)(entry())

    assert staged == {("ghap_full", None), ("ghap_strategy", None)}
    assert len(stored()) == 2


def test_batch_with_an_unresolved_entry_is_refused_before_any_work(
    persister: ObservationPersister, embedder: CountingEmbedder
) -> None:
    with pytest.raises(ValueError, match="^Entry must be resolved$"):
        async_to_sync(persister.persist_batch)([entry(), entry(id="ghap_20261120_143023_a1b2c4", outcome=None)])

    assert embedder.texts == []
    assert Record.objects.count() == 0


def test_unresolved_entry_is_refused(persister: ObservationPersister) -> None:
    with pytest.raises(ValueError, match="^Entry must be resolved$"):
        async_to_sync(persister.persist)(entry(outcome=None))


def test_failure_of_the_model_passes_through_and_the_call_can_be_repeated(alice: User) -> None:
    class Broken(WordEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            raise EmbeddingModelError("out of memory")

    with pytest.raises(EmbeddingModelError, match="out of memory"):
        async_to_sync(ObservationPersister(Broken(), PgVectorStore(alice)).persist)(entry())

    async_to_sync(ObservationPersister(WordEmbedder(), PgVectorStore(alice)).persist)(entry())

    assert len(stored()) == 2


def test_failure_of_the_store_passes_through(persister: ObservationPersister) -> None:
    Collection.objects.create(name="ghap_full", model="another", dimension=3)

    with pytest.raises(VectorStoreError, match="holds vectors of another"):
        async_to_sync(persister.persist)(entry())


def test_batch_of_many_is_embedded_in_one_batch_for_each_axis(alice: User) -> None:
    class Batches(WordEmbedder):
        sizes: list[int] = []

        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            self.sizes.append(len(texts))
            return super().embed_batch(texts)

    embedder = Batches()
    entries = [entry(id=f"ghap_20261120_1430{number:02d}_a1b2c3") for number in range(5)]

    async_to_sync(ObservationPersister(embedder, PgVectorStore(alice)).persist_batch)(entries)

    assert embedder.sizes == [5, 5, 0, 0]


def test_deleted_entry_takes_its_vectors_along_and_search_no_longer_counts_it(alice: User) -> None:
    receive(alice, None, [body(), falsified(id="ghap_20261120_150000_a1b2c3", goal="Shrink the image")])
    Entry.objects.filter(ghap_id="ghap_20261120_150000_a1b2c3").delete()

    assert set(Record.objects.values_list("key", flat=True)) == {body()["id"]}
    assert search(alice, Search(query="shrink the image", mode="lexical")).found == 0


def test_one_id_twice_in_a_batch_is_stored_as_it_came_last(persister: ObservationPersister) -> None:
    last = entry(goal="Stop the export from hanging at night")

    async_to_sync(persister.persist_batch)([falsified_entry(), entry(), last])

    assert stored() == {("ghap_full", last.id), ("ghap_strategy", last.id)}
    assert Record.objects.get(collection="ghap_full").text.splitlines()[0] == f"Goal: {last.goal}"
