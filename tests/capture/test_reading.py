"""Learnings as documents: one by its id, and those next to it in time."""

from __future__ import annotations

from typing import Any

import pytest

from capture import reading
from capture.models import Learning
from capture.sink import store
from memoryserver.accounts.models import Project, User
from memoryserver.search.documents import Document
from memoryserver.search.sources import Side
from tests.capture.test_sink import CONTENT, capture, learning


def stored(user: User, project: Project | None, number: int, **changes: Any) -> str:
    """The id of a learning that was first seen `number` minutes past twelve."""
    content = f"Learned {number}"
    store(user, project, capture(learning(content), number=number, **changes))
    return str(Learning.objects.get(content=content).pk)


def document(user: User, key: str) -> Document:
    (found,) = reading.read(user, key)
    return found


def near(user: User, key: str, side: Side, limit: int = 10) -> list[str]:
    return [found.text[-1] for found in reading.near(user, document(user, key), side, limit)]


def test_document_has_the_content_with_everything_known_of_it(alice: User, shared_project: Project) -> None:
    met = learning(source_message_uuid="u-45", files=["a.py"], tools=["Bash"], reasons=["says why"])
    store(alice, shared_project, capture(met))
    row = Learning.objects.get()

    assert document(alice, str(row.pk)) == Document(
        source="learnings",
        key=str(row.pk),
        kind="learning",
        title=CONTENT,
        text=CONTENT,
        user="alice",
        project=shared_project.key,
        created_at=row.first_seen,
        details={
            "type": "learning",
            "source": "stated",
            "confidence": 0.9,
            "reasons": ["says why"],
            "files": ["a.py"],
            "tools": ["Bash"],
            "seen": 1,
            "first_seen": row.first_seen,
            "last_seen": row.last_seen,
            "sources": [{"transcript": "claude-code-7625", "message": 45, "uuid": "u-45"}],
        },
        project_id=shared_project.pk,
        threads=frozenset({"claude-code-7625"}),
    )


def test_sources_are_bounded_and_the_threads_are_not(alice: User) -> None:
    for number in range(1, 26):
        store(alice, None, capture(learning(), number=number, context_id=f"c{number}"))

    found = document(alice, str(Learning.objects.get().pk))

    assert (len(found.details["sources"]), len(found.threads), found.details["seen"]) == (20, 25, 25)


@pytest.mark.parametrize("key", ["", "x", "-1", "²", "9" * 18, "9" * 19, "1 ", "\x00"])
def test_key_of_no_learning_reads_nothing(alice: User, key: str) -> None:
    assert reading.read(alice, key) == []


def test_mate_reads_what_is_shared_a_stranger_and_anybody_else_nothing(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    keys = [stored(alice, shared_project, 1), stored(alice, None, 2)]

    assert [[len(reading.read(user, key)) for key in keys] for user in (alice, bob, charlie)] == [
        [1, 1],
        [1, 0],
        [0, 0],
    ]


def test_hidden_learning_is_neither_read_nor_near(alice: User, shared_project: Project) -> None:
    keys = [stored(alice, shared_project, number) for number in (1, 2)]
    Learning.objects.filter(pk=keys[0]).update(hidden=True)

    assert (reading.read(alice, keys[0]), near(alice, keys[1], "before")) == ([], ["2"])


def test_near_are_those_of_the_project_closest_in_time_first(alice: User, shared_project: Project) -> None:
    keys = [stored(alice, shared_project, number, context_id=f"c{number}") for number in range(1, 6)]

    assert near(alice, keys[2], "before") == ["3", "2", "1"]
    assert near(alice, keys[2], "after") == ["4", "5"]
    assert (near(alice, keys[2], "before", 2), near(alice, keys[2], "after", 1)) == (["3", "2"], ["4"])


def test_without_a_project_near_are_those_of_the_same_transcript(alice: User) -> None:
    here = stored(alice, None, 1, context_id="here")
    stored(alice, None, 2, context_id="elsewhere")
    stored(alice, None, 3, context_id="here")

    assert near(alice, here, "after") == ["3"]
