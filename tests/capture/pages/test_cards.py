"""What the card of a learning says, and where its links lead."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.http import QueryDict

from capture.belief.rules import judge
from capture.models import Learning
from capture.pages.cards import cards
from memoryserver.accounts.models import Project, User

SEEN = datetime(2026, 11, 2, 10, tzinfo=UTC)


def stored(user: User, project: Project | None, **changes: Any) -> Learning:
    learning = Learning.objects.create(
        user=user, project=project, type="solution", source="agent", confidence=0.9, content="Run `make`.",
        first_seen=SEEN, last_seen=SEEN, content_digest="0", **changes,
    )  # fmt: skip
    (judged,) = judge([learning])
    return judged


def test_links_of_a_card_keep_the_scope_and_what_htmx_fetches_does_not(alice: User, shared_project: Project) -> None:
    row = stored(alice, shared_project, seen_count=3)
    (card,) = cards([row], {row.pk}, alice, QueryDict("days=7&state=all&cursor=x"))
    assert dict(card) | {"last_seen": "", "html": str(card["html"])} == {
        "key": row.pk,
        "page": f"/learnings/{row.pk}/?days=7",
        "address": f"/learnings/{row.pk}/",
        "change": f"/learnings/{row.pk}/change/",
        "delete": f"/learnings/{row.pk}/delete/",
        "type": "solution",
        "source": "agent",
        "source_title": "the agent itself, or a person by hand",
        "tags": [],
        "user": "alice",
        "project": shared_project.key,
        "project_name": "shop",
        "seen": "seen 3 times, last",
        "last_seen": "",
        "content": "Run `make`.",
        "html": "<p>Run <code>make</code>.</p>\n",
        "pinned": False,
        "hidden": False,
        "is_changeable": True,
        "is_own": True,
    }
    assert 'title="2026-11-02 10:00 UTC"' in card["last_seen"]


def test_card_of_another_and_without_a_project_can_only_be_looked_at(alice: User, bob: User) -> None:
    row = stored(alice, None)
    (card,) = cards([row], set(), bob, QueryDict())
    names = ("page", "project", "project_name", "seen", "is_changeable", "is_own")
    assert [card[name] for name in names] == [f"/learnings/{row.pk}/", "", "", "", False, False]  # type: ignore[literal-required]


@pytest.mark.parametrize(
    ("changes", "tags"),
    [
        ({"is_report": True}, [("status report", "", "")]),
        ({"judge_verdict": "rejected"}, [("rejected by the judge", "enters no context", "")]),
        ({"judge_verdict": "accepted"}, []),
        ({"pinned": True, "hidden": True}, [("pinned", "", "caution"), ("hidden", "", "warning")]),
    ],
)
def test_card_says_what_sets_a_learning_apart(changes: dict[str, Any], tags: list[Any], alice: User) -> None:
    row = stored(alice, None, **changes)
    (card,) = cards([row], set(), alice, QueryDict())
    assert card["tags"] == tags
    assert (card["pinned"], card["hidden"]) == ("pinned" in changes, "hidden" in changes)


def test_card_of_a_merged_learning_and_of_a_running_session_say_so(alice: User) -> None:
    kept = stored(alice, None)
    merged = Learning.objects.create(
        user=alice, type="solution", source="agent", confidence=0.9, content="Run make!", first_seen=SEEN,
        last_seen=SEEN, content_digest="1", merged_into=kept,
    )  # fmt: skip
    vars(merged)["provisional"] = True
    (card,) = cards([merged], set(), alice, QueryDict())
    assert card["tags"] == [("provisional", "its session still runs", ""), ("merged", "", "")]
