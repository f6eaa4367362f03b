"""Compactions: told of by hooks, noticed by capture, and each kept once."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from capture.compactions import MOST_AT_ONCE, ReportedCompaction, receive
from capture.models import Compaction
from capture.sink import store
from memoryserver.accounts.models import User
from tests.capture.test_sink import capture, learning
from tests.support.rows.factories import UserFactory

PATH = "/api/v1/capture/compactions"
THEN = datetime(2026, 11, 20, 11, 50, tzinfo=UTC)


def told(**changes: Any) -> dict[str, Any]:
    return {
        "id": str(uuid.UUID(int=7)),
        "context_id": "claude-code-7625",
        "project": "github.com/a/b",
        "trigger": "auto",
        "happened_at": "2026-11-20T11:50:00Z",
        **changes,
    }


def rows() -> list[tuple[Any, ...]]:
    return list(Compaction.objects.order_by("number", "pk").values_list("trigger", "number"))


def row(user: User, trigger: str) -> Compaction:
    return Compaction(user=user, compaction_id=uuid.uuid4(), context_id="c", trigger=trigger, happened_at=THEN)


@pytest.mark.parametrize("trigger", ["manual", "auto", "detected", "proactive_monitor"])
def test_metrics_accepts_proactive_monitor_trigger(alice: User, api: Any, trigger: str) -> None:
    """By the database, and by the API."""
    row(alice, trigger).save()
    assert api(alice).post(PATH, told(trigger=trigger), content_type="application/json").status_code == 200
    assert Compaction.objects.filter(trigger=trigger).count() == 2


def test_database_refuses_any_other_trigger(alice: User, api: Any) -> None:
    with transaction.atomic(), pytest.raises(IntegrityError, match="compaction_trigger_known"):
        row(alice, "sometimes").save()
    assert api(alice).post(PATH, told(trigger="sometimes"), content_type="application/json").status_code == 422


def test_told_again_is_kept_once(alice: User, api: Any) -> None:
    client = api(alice)
    answers = [client.post(PATH, told(), content_type="application/json").json() for _ in range(2)]

    assert [answer["new"] for answer in answers] == [True, False]
    kept = Compaction.objects.get()
    assert (kept.user, str(kept.project), kept.happened_at) == (alice, "github.com/a/b", THEN)


@pytest.mark.parametrize("bad", [{"happened_at": "2026-11-20T11:50:00"}, {"id": "x"}, {"context_id": ""}])
def test_what_cannot_be_is_refused(alice: User, api: Any, bad: dict[str, str]) -> None:
    assert api(alice).post(PATH, told(**bad), content_type="application/json").status_code == 422


def test_capture_notes_each_compaction_it_met_with_what_was_before(alice: User) -> None:
    store(alice, None, capture(learning(), compaction_number=0, message_range=(1, 40), number=1))
    store(alice, None, capture(compaction_number=2, message_range=(41, 60), number=2))
    store(alice, None, capture(compaction_number=2, message_range=(61, 70), number=3))

    assert rows() == [("detected", 1), ("detected", 2)]
    assert {(one.messages_before, one.learnings_before) for one in Compaction.objects.all()} == {(40, 1)}


def test_capture_that_comes_late_notes_nothing_twice(alice: User) -> None:
    store(alice, None, capture(compaction_number=2, number=2))
    store(alice, None, capture(compaction_number=1, number=1))

    assert rows() == [("detected", 1), ("detected", 2)]


def test_number_that_cannot_be_costs_few_statements_and_rows(alice: User, api: Any) -> None:
    """A valid report of a few contexts kept a server busy for ten seconds (found by schemathesis)."""
    context = {"message_count": 1, "last_activity": "2026-11-20T11:50:00Z", "compaction_count": 2**31 - 1}
    contexts = [context | {"context_id": f"c{number}"} for number in range(5)]

    with CaptureQueriesContext(connection) as sent:
        answer = api(alice).post("/api/v1/capture/contexts", {"contexts": contexts}, content_type="application/json")

    assert (answer.status_code, Compaction.objects.count()) == (200, 5 * MOST_AT_ONCE)
    assert Compaction.objects.order_by("-number").values_list("number", flat=True)[0] == 2**31 - 1
    assert len(sent) < 50


def test_hook_and_then_capture_is_one_with_the_hooks_trigger(alice: User, api: Any) -> None:
    api(alice).post(PATH, told(trigger="manual"), content_type="application/json")
    store(alice, None, capture(compaction_number=1))

    assert rows() == [("manual", 1)]


def test_capture_and_then_a_hook_that_was_offline_is_one_with_the_hooks_trigger(alice: User, api: Any) -> None:
    store(alice, None, capture(compaction_number=1))
    api(alice).post(PATH, told(), content_type="application/json")

    assert rows() == [("auto", 1)]


@pytest.mark.parametrize("hook_first", [True, False])
def test_capture_that_is_dated_in_the_hooks_very_second_is_of_the_same_compaction(
    alice: User, api: Any, *, hook_first: bool
) -> None:
    in_the_second = "2026-11-20T12:01:00.700000Z"  # capture says 12:01:00
    if not hook_first:
        store(alice, None, capture(compaction_number=1))
    api(alice).post(PATH, told(happened_at=in_the_second), content_type="application/json")
    if hook_first:
        store(alice, None, capture(compaction_number=1))

    assert rows() == [("auto", 1)]


@pytest.mark.django_db(transaction=True)
def test_hooks_word_and_captures_that_come_at_the_same_time_are_of_one_compaction() -> None:
    alice = UserFactory(username="alice")

    def hooks(context: str) -> None:
        receive(alice, None, ReportedCompaction(uuid.uuid4(), context, "manual", THEN))
        connection.close()

    def captures(context: str, number: int) -> None:
        store(alice, None, capture(context_id=context, compaction_number=1, number=number))
        connection.close()

    contexts = [f"c{number}" for number in range(12)]
    with ThreadPoolExecutor(8) as pool:
        pairs = [
            (pool.submit(hooks, context), pool.submit(captures, context, number))
            for number, context in enumerate(contexts, 1)
        ]
        for pair in pairs:
            assert [one.result() for one in pair] == [None, None]

    assert rows() == [("manual", 1)] * 12


def test_hooks_word_of_another_day_or_context_is_another_compaction(alice: User, api: Any) -> None:
    client = api(alice)
    earlier = (THEN - timedelta(days=2)).isoformat()
    client.post(PATH, told(happened_at=earlier), content_type="application/json")
    client.post(PATH, told(id=str(uuid.uuid4()), context_id="another"), content_type="application/json")
    store(alice, None, capture(compaction_number=1))

    assert sorted(trigger for trigger, _ in rows()) == ["auto", "auto", "detected"]


@pytest.mark.parametrize(
    ("happened_at", "status"),
    [("0001-01-01T00:00:00+23:59", 422), ("9999-12-31T23:59:59-23:59", 422), ("2099-01-01T00:00:00Z", 200)],
)
def test_time_that_cannot_be_right_is_refused_or_bounded(happened_at: str, status: int, alice: User, api: Any) -> None:
    response = api(alice).post(PATH, told(happened_at=happened_at), content_type="application/json")

    assert response.status_code == status
    assert not Compaction.objects.filter(happened_at__gt=datetime.now(UTC)).exists()
