"""The jobs of trajectories: observers run on the rest of the calls, and old calls are deleted."""

from __future__ import annotations

from typing import Any

from django.conf import LazySettings
from django.test import TestCase
from django_q.models import OrmQ

from memoryserver.accounts.models import User
from tests.support.rows.sent_calls import call, same
from tests.trajectory.sending import send
from tests.trajectory.silence import fall_silent
from trajectory import jobs
from trajectory.models import AssessmentRecord, Trajectory


class Loud:
    """An observer of the server's own."""

    name = "Loud"

    def should_run(self, session: Any, *, context: Any) -> bool:
        return True

    def observe(self, session: Any, *, context: Any) -> Any:
        raise RuntimeError("no")


def test_observers_of_the_settings_run_in_the_job_and_a_raising_or_missing_one_is_passed_over(
    alice: User, settings: LazySettings
) -> None:
    settings.MEMORYSERVER_TRAJECTORY_OBSERVERS = ["tests.trajectory.test_jobs.Loud", "no.such.thing"]
    with TestCase.captureOnCommitCallbacks(execute=True):
        received = send(alice, *[same(n) for n in range(12)])

    assert (received.tell, OrmQ.objects.count(), AssessmentRecord.objects.count()) == ("", 1, 0)
    assert jobs.assess_pending() == 1
    assert Trajectory.objects.get().memory["observers"]["Loud"]["last_failure"] == "RuntimeError: no"
    assert AssessmentRecord.objects.filter(observer="Repeated Call").exists()


def test_job_has_nothing_to_do_where_all_was_seen(alice: User) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        send(alice, call(1))

    assert (OrmQ.objects.count(), jobs.assess_pending()) == (0, 0)


def test_silent_session_is_ended_once(alice: User) -> None:
    send(alice, *[same(n) for n in range(3)])
    fall_silent(Trajectory.objects.all())

    assert (jobs.end_silent(), jobs.end_silent()) == (1, 0)
    assert AssessmentRecord.objects.get(observer="Repeated Call").ended_with_session is True
