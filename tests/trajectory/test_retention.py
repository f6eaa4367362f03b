from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as the_settings
from django.utils import timezone

from memoryserver.accounts.models import User
from obslog.models import Observation
from tests.support.rows.sent_calls import call
from trajectory import jobs, retention
from trajectory.intake import receive
from trajectory.models import ToolCall, Trajectory


@pytest.fixture
def calls(alice: User) -> None:
    """Ten, of which the first six came a hundred days ago."""
    receive(alice, None, "s-1", "", [call(n) for n in range(10)])
    ToolCall.objects.filter(call_index__lte=6).update(received_at=timezone.now() - timedelta(days=100))


def test_old_calls_go_the_session_stays_and_the_log_is_told(calls: None) -> None:
    assert (jobs.drop_old_calls(), jobs.drop_old_calls()) == (6, 0)

    assert list(ToolCall.objects.values_list("call_index", flat=True)) == [7, 8, 9, 10]
    assert Trajectory.objects.get().calls_made == 10
    (told,) = Observation.objects.filter(type="trajectory.calls_dropped")
    assert (told.user, told.message) == (None, "dropped 6 tool calls: 90 days are kept")


@pytest.mark.parametrize(("days", "dropped"), [(101, 0), (99, 6), (0, 0)])
def test_setting_says_how_many_days_are_kept_and_zero_keeps_all(
    calls: None, settings: Any, days: int, dropped: int
) -> None:
    settings.TRAJECTORY_RETENTION_DAYS = days

    assert jobs.drop_old_calls() == dropped


def test_run_without_time_does_one_batch_and_the_next_the_rest(calls: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 4)

    assert [retention.drop_old_calls(seconds=-1) for _ in range(3)] == [4, 2, 0]


def test_session_goes_on_after_its_old_calls_went(calls: None, alice: User) -> None:
    jobs.drop_old_calls()
    receive(alice, None, "s-1", "", [call(10)])

    assert (Trajectory.objects.get().calls_made, ToolCall.objects.count()) == (11, 5)


def test_calls_are_dropped_by_a_schedule() -> None:
    assert "trajectory.jobs.drop_old_calls" in {name for _, name, _ in the_settings.JOB_SCHEDULES}
