"""Queries of learnings: who sees which, filters, pages, and where a learning comes from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from capture import curation, learnings, sink
from capture.learnings import Filter, Origin
from capture.models import Capture, Learning
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import CONTENT, capture, learning


def store(user: User, project: Project | None, content: str, number: int, **changes: Any) -> Learning:
    sink.store(user, project, capture(learning(content, **changes), number=number))
    return Learning.objects.get(user=user, project=project, content=content)


def contents(user: User | AnonymousUser, filters: Filter | None = None) -> list[str]:
    return [row.content for row in learnings.find(user, filters or Filter()).learnings]


@pytest.fixture
def three(alice: User, bob: User, shared_project: Project) -> dict[str, Learning]:
    """Alice's of her own and in the shared project, and Bob's there; seen in that order."""
    return {
        "own": store(alice, None, "Alpha of her own", 1),
        "shared": store(alice, shared_project, "Beta in the project", 2, type="gotcha"),
        "bobs": store(bob, shared_project, "Gamma of Bob's", 3),
    }


def test_each_finds_their_own_and_what_is_shared_the_last_seen_first(
    three: dict[str, Learning], alice: User, bob: User, charlie: User
) -> None:
    assert contents(alice) == ["Gamma of Bob's", "Beta in the project", "Alpha of her own"]
    assert contents(bob) == ["Gamma of Bob's", "Beta in the project"]
    assert [contents(charlie), contents(AnonymousUser())] == [[], []]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filter(project="github.com/crew/shop"), ["bobs", "shared"]),
        (Filter(project="none"), []),
        (Filter(type="gotcha"), ["shared"]),
        (Filter(text="PROJECT beta"), ["shared"]),
        (Filter(text="100%"), []),
        (Filter(mine=True), ["shared", "own"]),
        (Filter(state="hidden"), []),
        (Filter(state="all"), ["bobs", "shared", "own"]),
    ],
    ids=["project", "unknown project", "type", "words in any order", "no wildcard", "mine", "hidden", "all"],
)
def test_filters_narrow(three: dict[str, Learning], alice: User, filters: Filter, found: list[str]) -> None:
    assert contents(alice, filters) == [three[name].content for name in found]


def test_state_tells_pinned_corrected_and_hidden_apart(three: dict[str, Learning], alice: User) -> None:
    curation.change(alice, three["own"].pk, pinned=True)
    curation.change(alice, three["shared"].pk, content="Beta, said better")
    curation.change(alice, three["bobs"].pk, hidden=True)

    by_state = {state: contents(alice, Filter(state=state)) for state in ("pinned", "corrected", "hidden", "shown")}

    assert by_state == {
        "pinned": ["Alpha of her own"],
        "corrected": ["Beta, said better"],
        "hidden": ["Gamma of Bob's"],
        "shown": ["Alpha of her own", "Beta, said better"],
    }


@pytest.mark.parametrize(
    ("filters", "options", "message"),
    [
        (Filter(), {"limit": 0}, "limit: must be from 1 to 200"),
        (Filter(), {"limit": 201}, "limit: must be from 1 to 200"),
        (Filter(), {"cursor": "x"}, "cursor: invalid"),
        (Filter(), {"cursor": f"1.{'9' * 18}.1"}, "cursor: invalid"),
        (Filter(type="nonsense"), {}, "type: must be one of decision, "),
        (Filter(state="odd"), {}, "state: must be one of shown, "),  # type: ignore[arg-type]
        (Filter(text="x" * 501), {}, "text: at most 500 characters"),
    ],
    ids=["no limit", "high limit", "odd cursor", "cursor beyond time", "type", "state", "text"],
)
def test_invalid_argument_is_an_error_that_names_it(
    alice: User, filters: Filter, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        learnings.find(alice, filters, **options)


def test_pages_give_each_learning_once_also_where_many_were_seen_at_one_time(alice: User) -> None:
    many = [learning(f"Number {number}") for number in range(5)]
    sink.store(alice, None, capture(*many))
    curation.change(alice, Learning.objects.get(content="Number 2").pk, pinned=True)
    pages, cursor = [], ""
    while True:
        page = learnings.find(alice, Filter(), limit=2, cursor=cursor)
        pages.append([row.content[-1] for row in page.learnings])
        if page.next_cursor is None:
            break
        cursor = page.next_cursor

    assert pages == [["2", "4"], ["3", "1"], ["0"]]


def test_last_page_that_is_full_has_no_cursor(three: dict[str, Learning], alice: User) -> None:
    assert learnings.find(alice, Filter(), limit=3).next_cursor is None


def test_owner_of_the_learning_and_of_its_project_may_change_it(
    three: dict[str, Learning], alice: User, bob: User, charlie: User
) -> None:
    may = {
        (user.username, name): learnings.may_change(user, row)
        for user in (alice, bob, charlie)
        for name, row in three.items()
    }

    assert {key for key, allowed in may.items() if allowed} == {
        ("alice", "own"),
        ("alice", "shared"),
        ("alice", "bobs"),
        ("bob", "bobs"),
    }


@pytest.mark.parametrize("key", [0, -1, 2**63, 10**30])
def test_key_that_no_learning_can_have_is_not_found(alice: User, key: int) -> None:
    with pytest.raises(Http404):
        learnings.get(alice, key)


def test_learning_of_a_stranger_is_not_found(three: dict[str, Learning], charlie: User) -> None:
    with pytest.raises(Http404):
        learnings.get(charlie, three["own"].pk)


def test_learning_comes_with_its_changes_in_three_queries(
    alice: User, django_assert_num_queries: Any, three: dict[str, Learning]
) -> None:
    curation.change(alice, three["own"].pk, content="Said better")
    with django_assert_num_queries(3):
        row = learnings.get(alice, three["own"].pk)
        changes = [(change.what, str(change.made_by)) for change in row.changes.all()]

    assert changes == [("corrected", "alice")]


WRITTEN = datetime(2025, 7, 3, 9, tzinfo=UTC)


def test_origin_is_the_message_with_what_is_known_of_its_transcript(alice: User) -> None:
    metadata = {"agent_kind": "claude-code", "agent": "main", "transcript": "/t.jsonl", "branch": None}
    sink.store(alice, None, capture(learning(source_message_uuid="u-45", time=WRITTEN), metadata=metadata))

    assert list(learnings.origins(Learning.objects.get(), alice).origins) == [
        Origin(
            user="alice",
            wording="",
            context_id="claude-code-7625",
            transcript="/t.jsonl",
            agent_kind="claude-code",
            agent="main",
            session_id="",
            branch="",
            message_index=45,
            message_uuid="u-45",
            message_time=WRITTEN,
            captured_at=datetime(2026, 11, 20, 12, 1, tzinfo=UTC),
            received_at=Capture.objects.get().received_at,
        )
    ]


def test_origins_are_bounded_and_the_latest_comes_first(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learnings, "MAX_SOURCES", 2)
    for number in range(1, 4):
        sink.store(alice, None, capture(learning(), number=number))

    row = Learning.objects.get(content=CONTENT)
    assert [origin.captured_at.minute for origin in learnings.origins(row, row.user).origins] == [3, 2]
