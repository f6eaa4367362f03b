from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryserver.accounts.models import Project, User
from memoryserver.embedding import Embedding
from memoryserver.vectors.models import Collection, Record, TokenCodes
from memoryserver.vectors.store import Item, Match, PgVectorStore, VectorStoreError
from tests.support.rows.factories import UserFactory

BORN = datetime(2026, 1, 2, tzinfo=UTC)
EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]


@pytest.fixture
def store(alice: User) -> PgVectorStore:
    store = PgVectorStore(alice)
    store.ensure_collection("things", model="tiny", dimension=2)
    return store


def item(key: str, vector: list[float] | None = None, embedded_as: str = "", **payload: object) -> Item:
    return Item(
        key=key,
        text=f"text of {key}",
        created_at=BORN,
        payload=payload,
        vector=vector,
        embedded_as=embedded_as,
    )


def test_search_gives_the_nearest_first_with_its_similarity(store: PgVectorStore) -> None:
    store.upsert("things", [item("west", WEST), item("north", NORTH), item("east", EAST)])

    assert store.search("things", EAST, limit=2) == [Match("east", 1.0, {}), Match("north", 0.0, {})]


def test_search_with_filter_gives_only_what_has_it(store: PgVectorStore) -> None:
    store.upsert("things", [item("east", EAST, colour="red"), item("north", NORTH, colour="blue")])

    assert store.search("things", EAST, filters={"colour": "blue"}) == [Match("north", 0.0, {"colour": "blue"})]


def test_item_without_vector_is_counted_and_not_found_by_one(store: PgVectorStore) -> None:
    store.upsert("things", [item("east")])

    assert store.count("things") == 1
    assert store.search("things", EAST) == []


def test_upsert_of_a_known_key_replaces_it(store: PgVectorStore) -> None:
    store.upsert("things", [item("east", WEST, colour="red")])
    store.upsert("things", [item("east", EAST, colour="blue")])

    assert store.search("things", EAST) == [Match("east", 1.0, {"colour": "blue"})]


def test_upsert_without_vector_of_the_same_text_keeps_the_vector(store: PgVectorStore) -> None:
    store.upsert("things", [item("east", EAST, embedded_as="a", colour="red")])
    store.upsert("things", [item("east", None, embedded_as="a", colour="blue")])

    assert store.search("things", EAST) == [Match("east", 1.0, {"colour": "blue"})]


def test_upsert_without_vector_of_another_text_drops_the_vector(store: PgVectorStore) -> None:
    store.upsert("things", [item("east", EAST, embedded_as="a")])
    store.upsert("things", [item("east", None, embedded_as="b")])

    assert store.search("things", EAST) == []
    assert store.embedded_as("things", ["east"]) == {}


def test_inserted_items_are_those_of_an_upsert_without_vectors(store: PgVectorStore) -> None:
    fields = ("user", "project", "text", "terms", "payload", "created_at", "embedding", "embedded_as")
    store.insert("things", [item("east", None, embedded_as="a", colour="red"), item("north")])
    inserted = list(Record.objects.order_by("key").values_list(*fields))
    Record.objects.all().delete()
    store.upsert("things", [item("east", None, embedded_as="a", colour="red"), item("north")])

    assert inserted == list(Record.objects.order_by("key").values_list(*fields))


@pytest.mark.django_db(transaction=True)
def test_insert_of_a_known_key_is_refused(store: PgVectorStore) -> None:
    store.upsert("things", [item("east", EAST, colour="red")])

    with pytest.raises(VectorStoreError, match="2 items could not be stored in things"):
        store.insert("things", [item("north"), item("east")])
    assert list(Record.objects.values_list("key", "payload")) == [("east", {"colour": "red"})]


def test_embedded_as_tells_what_each_vector_was_made_of(store: PgVectorStore) -> None:
    store.upsert("things", [item("east", EAST, embedded_as="a"), item("west", None, embedded_as="b")])

    assert store.embedded_as("things", ["east", "west", "nowhere"]) == {"east": "a"}


def test_deleted_item_is_gone_and_an_unknown_key_is_no_error(store: PgVectorStore) -> None:
    store.upsert("things", [item("east", EAST), item("west", WEST)])

    store.delete("things", ["east", "nowhere"])

    assert store.count("things") == 1


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([1.0], "must have 2 numbers, not 1"),
        ([1.0, 2.0, 3.0], "must have 2 numbers, not 3"),
        ([float("nan"), 0.0], "has NaN or infinity in 1 of its 2 numbers; check the embedding model"),
        ([float("inf"), float("-inf")], "has NaN or infinity in 2 of its 2 numbers; check the embedding model"),
    ],
    ids=["short", "long", "nan", "infinity"],
)
def test_vector_of_wrong_length_or_not_finite_is_refused_and_nothing_stored(
    store: PgVectorStore, vector: list[float], message: str
) -> None:
    with pytest.raises(VectorStoreError) as caught:
        store.upsert("things", [item("good", EAST), item("bad", vector)])

    assert str(caught.value) == f"a vector for things {message}"
    assert store.count("things") == 0


def test_vector_for_an_unknown_collection_is_refused(store: PgVectorStore) -> None:
    with pytest.raises(VectorStoreError, match="no collection others; call ensure_collection first"):
        store.upsert("others", [item("east", EAST)])


def test_ensuring_again_changes_nothing(store: PgVectorStore) -> None:
    store.ensure_collection("things", model="tiny", dimension=2)

    assert list(Collection.objects.values_list("name", "model", "dimension")) == [("things", "tiny", 2)]


@pytest.mark.parametrize(("model", "dimension"), [("huge", 2), ("tiny", 3)])
def test_ensuring_with_another_model_or_length_says_which_it_holds(
    store: PgVectorStore, model: str, dimension: int
) -> None:
    with pytest.raises(VectorStoreError, match=r"the collection things holds vectors of tiny \(2 numbers\)"):
        store.ensure_collection("things", model=model, dimension=dimension)


def test_one_users_items_are_not_anothers(store: PgVectorStore) -> None:
    other = PgVectorStore(UserFactory())
    store.upsert("things", [item("east", EAST)])
    other.upsert("things", [item("east", WEST)])

    other.delete("things", ["east"])

    assert store.search("things", EAST) == [Match("east", 1.0, {})]
    assert other.count("things") == 0


def test_item_belongs_to_the_stores_user_and_project(alice: User, shared_project: Project) -> None:
    PgVectorStore(alice, shared_project).upsert("things", [item("east")])

    record = Record.objects.get()
    assert (record.user, record.project) == (alice, shared_project)


def codes() -> dict[str, bytes]:
    return {key: bytes(kept) for key, kept in TokenCodes.objects.values_list("record__key", "codes")}


def test_codes_of_the_tokens_are_written_replaced_and_deleted_with_the_vector(store: PgVectorStore) -> None:
    store.upsert("things", [item("a", Embedding(EAST, b"one")), item("b", Embedding(EAST, b"two")), item("c", EAST)])
    written = codes()
    store.upsert("things", [item("a", Embedding(EAST, b"new")), item("b", EAST)])

    assert (written, codes()) == ({"a": b"one", "b": b"two"}, {"a": b"new"})


def test_codes_stay_while_the_text_keeps_its_vector(store: PgVectorStore) -> None:
    store.upsert("things", [item("a", Embedding(EAST, b"one"), "digest")])
    store.upsert("things", [item("a", None, "digest")])
    kept = codes()
    store.upsert("things", [item("a", None, "of another text")])

    assert (kept, codes()) == ({"a": b"one"}, {})


def test_codes_end_with_their_record(store: PgVectorStore) -> None:
    store.upsert("things", [item("a", Embedding(EAST, b"one"))])
    store.delete("things", ["a"])

    assert codes() == {}
