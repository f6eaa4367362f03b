"""Whole documents by id, and the timeline around one of them, over sources of the test's own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from memoryserver.accounts.models import User
from memoryserver.errors import InvalidInputError
from memoryserver.search import reading, sources
from memoryserver.search.documents import Document
from memoryserver.search.reading import Reading
from memoryserver.search.sources import Side, Source
from tests.memoryserver.search.notes import describe

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
ALICE = User(username="alice")


def document(source: str, key: str, minutes: int, user: str = "alice") -> Document:
    return Document(source, key, "note", key, key, user, None, NOON + timedelta(minutes=minutes), {})


class Shelf:
    """Documents of one source, all of one timeline."""

    def __init__(self, *documents: Document) -> None:
        self.documents = documents

    def read(self, user: User, key: str) -> Sequence[Document]:
        return [found for found in self.documents if found.key == key]

    def near(self, user: User, here: Document, side: Side, limit: int) -> Sequence[Document]:
        if side == "before":
            earlier = [found for found in self.documents if found.created_at <= here.created_at]
            return sorted(earlier, key=lambda found: found.created_at, reverse=True)[:limit]
        later = [found for found in self.documents if found.created_at > here.created_at]
        return sorted(later, key=lambda found: found.created_at)[:limit]


@pytest.fixture(autouse=True)
def two_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """`a` has documents of minutes 0, 2, 4 and 6, `b` of 1, 3 and 5 and one of two users."""
    shelves = {
        "a": Shelf(*(document("a", str(number), number) for number in (0, 2, 4, 6))),
        "b": Shelf(
            *(document("b", str(number), number) for number in (1, 3, 5)),
            document("b", "x", 100, "bob"),
            document("b", "x", 101),
        ),
    }
    registry = {name: Source(name, {}, describe, read=shelf.read, near=shelf.near) for name, shelf in shelves.items()}
    monkeypatch.setattr(sources, "_sources", registry)


def around(name: str, before: int, after: int) -> tuple[list[str], list[str]]:
    timeline = reading.timeline(ALICE, name, before=before, after=after)
    assert timeline is not None
    assert timeline.here.id == name
    return [found.id for found in timeline.before], [found.id for found in timeline.after]


def test_documents_come_in_the_order_requested_and_each_once() -> None:
    result = reading.read(ALICE, ["b/3", "a/none", "a/0", "b/3"])

    assert [found.id for found in result.documents] == ["b/3", "a/0"]
    assert result.missing == ["a/none"]


def test_of_two_documents_with_one_key_the_users_own_comes_first() -> None:
    assert [found.user for found in reading.read(ALICE, ["b/x"]).documents] == ["alice", "bob"]


def test_key_may_contain_slashes() -> None:
    assert reading.read(ALICE, ["a/x/y"]) == Reading(documents=[], missing=["a/x/y"])


def test_what_is_no_id_is_missing_beside_what_is_there() -> None:
    result = reading.read(ALICE, ["c/1", "a/x/y", "b/x", "b"])
    assert ([found.user for found in result.documents], result.missing) == (["alice", "bob"], ["c/1", "a/x/y", "b"])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], "^request 1 to 20 ids at once$"),
        (["a/1"] * 21, "^request 1 to 20 ids at once$"),
        (["a"], "^'a' is not an id; use SOURCE/KEY"),
        (["a/"], "^'a/' is not an id"),
        (["c/1"], "^unknown source 'c'; known sources: a, b$"),
        (["x\n" * 100 + "/1"], "^unknown source 'x x .*…'; known sources: a, b$"),
    ],
    ids=["none", "too many", "no key", "empty key", "source that cannot be read", "long source"],
)
def test_invalid_request_says_why(ids: list[str], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        reading.read(ALICE, ids)


def test_timeline_merges_the_sources_in_the_order_of_time() -> None:
    assert around("b/3", 2, 2) == (["b/1", "a/2"], ["a/4", "b/5"])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(0, 0, ([], [])), (1, 0, (["a/2"], [])), (50, 0, (["a/0", "b/1", "a/2"], []))],
    ids=["none", "one", "all"],
)
def test_timeline_has_as_many_as_requested(before: int, after: int, expected: tuple[list[str], list[str]]) -> None:
    assert around("b/3", before, after) == expected


def test_document_of_another_user_with_the_same_key_is_an_event() -> None:
    timeline = reading.timeline(ALICE, "b/x", before=1, after=0)

    assert timeline is not None
    assert (timeline.here.user, [found.user for found in timeline.before]) == ("alice", ["bob"])


@pytest.mark.parametrize(("before", "after"), [(-1, 0), (0, -1), (51, 0), (0, 51)])
def test_number_of_events_is_limited(before: int, after: int) -> None:
    with pytest.raises(InvalidInputError, match="^before and after must be from 0 to 50$"):
        reading.timeline(ALICE, "a/0", before=before, after=after)


def test_timeline_of_an_unknown_document_is_none() -> None:
    assert reading.timeline(ALICE, "a/none", before=1, after=1) is None
