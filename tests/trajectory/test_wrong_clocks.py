"""Tool calls of laptops whose clock is wrong: kept as reported, ordered by their arrival."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memoryserver.accounts.models import User
from tests.support.database.unsquashed import models_before
from tests.support.rows.sent_calls import call
from tests.trajectory.browsing import browser
from tests.trajectory.sending import send
from trajectory import sessions
from trajectory.models import AssessmentRecord, ToolCall, Trajectory

MIGRATION = import_module("trajectory.migrations.0004_bound_times_of_wrong_clocks")
WRONG = ["1970-01-01T00:00:00Z", "2019-12-31T23:59:59Z", "2099-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
wrong_times = pytest.mark.parametrize("time", WRONG, ids=[time[:4] for time in WRONG])


@wrong_times
def test_time_of_arrival_counts_and_the_reported_one_is_kept(alice: User, time: str) -> None:
    before = timezone.now()
    send(alice, call(1, timestamp=time))

    row = ToolCall.objects.get()
    assert before <= row.made_at <= timezone.now()
    assert row.trajectory.last_call_at == row.made_at
    assert row.reported_at == datetime.fromisoformat(time)


def test_time_that_can_be_right_is_taken_however_late_it_arrives(alice: User) -> None:
    send(alice, call(1, timestamp="2021-03-01T12:00:00Z"))

    row = ToolCall.objects.get()
    assert (row.made_at, row.reported_at) == (datetime(2021, 3, 1, 12, tzinfo=UTC), None)


def test_session_of_a_clock_that_is_ahead_is_not_the_latest_for_years(alice: User) -> None:
    send(alice, call(1, timestamp="2099-01-01T00:00:00Z"), session="ahead")
    send(alice, call(2, timestamp=timezone.now().isoformat()), session="later")

    assert [row.session_id for row in sessions.visible(alice)] == ["later", "ahead"]


@pytest.mark.parametrize(
    "time",
    [
        "2026-11-20T12:00:00",
        "tomorrow",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "2026-13-01T00:00:00Z",
    ],
)
def test_time_that_is_none_is_refused_with_its_reason(alice: User, time: str) -> None:
    (receipt,) = send(alice, call(1, timestamp=time)).results

    assert (receipt.status, ToolCall.objects.count()) == ("refused", 0)
    assert "time" in (receipt.reason or "")


def test_both_times_are_shown_by_page_and_admin(alice: User, admin_client: Client) -> None:
    send(alice, call(1, timestamp="2099-01-01T00:00:00Z"), call(2, timestamp="2021-03-01T12:00:00Z"))

    page = browser(alice).get(f"/trajectory/{Trajectory.objects.get().pk}/").content.decode()
    listed = admin_client.get("/admin/trajectory/toolcall/").content.decode()

    reported = 'reported <time class="moment" datetime="2099-01-01T00:00:00+00:00"'
    assert page.count(reported) == page.count("reported ") == 1
    assert listed.count(">2099-01-01 00:00<") == 1


def test_rows_of_before_are_bounded_by_the_migration(alice: User) -> None:
    send(alice, call(1), call(2), session="s")
    send(alice, call(3), session="t")
    send(alice, call(4), session="right")
    right = Trajectory.objects.get(session_id="right").last_call_at
    far, first = datetime(2099, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC)
    ToolCall.objects.filter(session_id="s").update(made_at=far)
    Trajectory.objects.filter(session_id="s").update(last_call_at=far)
    Trajectory.objects.filter(session_id="t").update(last_call_at=first)
    ToolCall.objects.filter(session_id="t").delete()
    session = Trajectory.objects.get(session_id="s")
    finding: dict[str, Any] = {"user": alice, "trajectory": session, "body": {}, "began_at_call": 1}
    AssessmentRecord.objects.create(began_at=far, **finding)
    MIGRATION.bound(models_before("trajectory", MIGRATION.__name__.rpartition(".")[2]), None)

    calls = ToolCall.objects.filter(session_id="s")
    assert [row.made_at for row in calls] == [row.received_at for row in calls]
    last = {row.session_id: row.last_call_at for row in Trajectory.objects.all()}
    assert (last["s"], last["right"]) == (max(row.received_at for row in calls), right)
    assert all(
        first < moment <= timezone.now() for moment in [last["t"], AssessmentRecord.objects.get().began_at] if moment
    )
