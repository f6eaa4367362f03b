"""Contexts that laptops report, those that yielded nothing too."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from capture.models import CaptureState, Compaction
from capture.sink import store
from memoryserver.accounts.models import User
from tests.capture.test_sink import capture, learning

PATH = "/api/v1/capture/contexts"


def context(**changes: Any) -> dict[str, Any]:
    return {
        "context_id": "claude-code-7625",
        "agent_kind": "claude-code",
        "project": "github.com/a/b",
        "message_count": 12,
        "last_activity": "2026-11-20T13:00:00Z",
        **changes,
    }


def report(client: Any, *contexts: Any) -> Any:
    return client.post(PATH, {"contexts": list(contexts)}, content_type="application/json")


def test_context_that_yielded_nothing_is_known(alice: User, api: Any) -> None:
    assert report(api(alice), context()).json() == {"received": 1, "changed": 1}

    state = CaptureState.objects.get()
    assert (state.user, str(state.project), state.agent_kind) == (alice, "github.com/a/b", "claude-code")
    assert (state.message_count, state.learnings_delivered, state.last_captured_at) == (12, 0, None)
    assert state.last_activity_at == datetime(2026, 11, 20, 13, tzinfo=UTC)


def test_report_again_and_an_older_one_change_nothing(alice: User, api: Any) -> None:
    client = api(alice)
    report(client, context())

    older = context(message_count=5, last_activity="2026-11-20T12:00:00Z")
    assert [report(client, one).json()["changed"] for one in (context(), older)] == [0, 0]
    assert CaptureState.objects.get().message_count == 12


def test_newer_report_moves_it_on(alice: User, api: Any) -> None:
    client = api(alice)
    report(client, context())

    assert report(client, context(message_count=20, last_activity="2026-11-20T14:00:00Z")).json()["changed"] == 1
    assert CaptureState.objects.get().message_count == 20


def test_report_and_delivery_are_of_one_context(alice: User, api: Any) -> None:
    client = api(alice)
    report(client, context())
    store(alice, None, capture(learning(), message_range=(1, 50)))
    report(client, context(message_count=60, last_activity="2026-11-20T15:00:00Z"))

    state = CaptureState.objects.get()
    assert (state.learnings_delivered, state.last_message_index, state.message_count) == (1, 50, 60)


def test_one_batch_may_name_a_context_twice(alice: User, api: Any) -> None:
    newer = context(message_count=13, last_activity="2026-11-20T13:05:00Z")

    assert report(api(alice), context(), newer).json() == {"received": 2, "changed": 2}
    assert CaptureState.objects.get().message_count == 13


def test_compactions_of_a_context_that_yielded_nothing_are_noted(alice: User, api: Any) -> None:
    report(api(alice), context(compaction_count=2))

    assert list(Compaction.objects.order_by("number").values_list("trigger", "number")) == [
        ("detected", 1),
        ("detected", 2),
    ]


def test_clock_that_is_years_ahead_is_taken_as_now(alice: User, api: Any) -> None:
    report(api(alice), context(last_activity="2090-01-01T00:00:00Z"))

    assert CaptureState.objects.get().last_activity_at < timezone.now() + timedelta(hours=1)


@pytest.mark.parametrize(
    ("ended", "settled"),
    [
        ("2026-11-20T13:00:05Z", datetime(2026, 11, 20, 13, 0, 5, tzinfo=UTC)),
        ("2026-11-20T14:00:05+01:00", datetime(2026, 11, 20, 13, 0, 5, tzinfo=UTC)),
        ("2026-11-20T13:00:05", datetime(2026, 11, 20, 13, 0, 5, tzinfo=UTC)),
        (None, None),
        ("yesterday", None),
        ("2026-13-45T99:00:00Z", None),
        (True, None),
        (17, None),
    ],
    ids=["utc", "other zone", "no zone", "null", "words", "no such day", "boolean", "number"],
)
def test_reported_end_settles_the_session_and_one_that_cannot_be_read_is_unknown(
    alice: User, api: Any, ended: Any, settled: datetime | None
) -> None:
    assert report(api(alice), context(ended=ended)).json() == {"received": 1, "changed": 1}
    assert CaptureState.objects.get().settled_until == settled


def test_end_that_is_reported_later_is_a_change_and_its_repetition_is_none(alice: User, api: Any) -> None:
    client = api(alice)
    report(client, context())
    ended = context(ended="2026-11-20T13:00:05Z")

    assert [report(client, ended).json()["changed"] for _ in range(2)] == [1, 0]
    assert CaptureState.objects.get().settled_until == datetime(2026, 11, 20, 13, 0, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "bad",
    [
        {"context_id": ""},
        {"message_count": -1},
        {"message_count": 2**63},
        {"last_activity": "2026-11-20T13:00:00"},
        {"agent_kind": "x" * 51},
    ],
)
def test_what_cannot_be_is_refused(alice: User, api: Any, bad: dict[str, Any]) -> None:
    assert report(api(alice), context(**bad)).status_code == 422
    assert CaptureState.objects.count() == 0


def test_batch_that_is_empty_or_too_large_is_refused(alice: User, api: Any) -> None:
    client = api(alice)
    assert [report(client).status_code, report(client, *[context()] * 501).status_code] == [422, 422]


def test_token_is_needed(db: None, api: Any) -> None:
    assert report(api(None), context()).status_code == 401
