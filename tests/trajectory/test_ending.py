"""Sessions end by the agent's event or by half an hour of silence, and their findings end with them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memoryserver.accounts.models import User
from tests.support.rows.sent_calls import call, same
from tests.trajectory.sending import send
from tests.trajectory.silence import fall_silent
from trajectory import assess, ending
from trajectory.models import AssessmentRecord, Trajectory


def states() -> list[tuple[str, int, bool]]:
    """Return the observer of each finding with when it ended, and whether it ended with the session."""
    rows = AssessmentRecord.objects.order_by("observer", "pk")
    return [(row.observer, row.ended_at_call or 0, row.ended_with_session) for row in rows]


def test_end_ends_the_findings_that_are_open_and_leaves_the_others(alice: User) -> None:
    send(
        alice,
        *[same(n) for n in range(3)],
        *[call(n) for n in range(3, 9)],
        *[same(n, error="odd") for n in (9, 10, 11)],
    )
    before = states()
    ended = ending.end(alice, "s", "", timezone.now())

    assert (ended, Trajectory.objects.get().worst) == (1, "")
    assert [entry[1] or 12 for entry in before] == [entry[1] for entry in states()]
    assert [entry[2] for entry in states()] == [entry[1] == 0 for entry in before]
    assert ("Repeated Call", 12, True) in states()


def test_end_of_a_session_ends_its_sub_agents_and_that_of_a_sub_agent_nothing_else(alice: User, bob: User) -> None:
    for user, session, agent in (
        (alice, "s", ""),
        (alice, "s", "a"),
        (alice, "s", "b"),
        (alice, "t", ""),
        (bob, "s", ""),
    ):
        send(user, call(1), session=session, agent=agent)

    assert [ending.end(alice, "s", "a", timezone.now()), ending.end(alice, "s", "", timezone.now())] == [1, 2]
    running = Trajectory.objects.filter(ended_at=None).values_list("user__username", "session_id").order_by("pk")
    assert list(running) == [("alice", "t"), ("bob", "s")]


def test_silent_sessions_end_with_their_last_call_and_others_go_on(alice: User) -> None:
    for session in ("silent", "running"):
        send(alice, *[same(n) for n in range(3)], session=session)
    last = fall_silent(Trajectory.objects.filter(session_id="silent"))

    assert (ending.end_silent(), ending.end_silent()) == (1, 0)
    assert Trajectory.objects.get(session_id="silent").ended_at == last
    assert Trajectory.objects.get(session_id="running").ended_at is None
    open_findings = AssessmentRecord.objects.filter(ended_at_call=None).values_list("trajectory__session_id", flat=True)
    assert set(open_findings) == {"running"}


def test_silent_session_with_calls_that_were_not_observed_is_left(alice: User) -> None:
    send(alice, same(1))
    fall_silent(Trajectory.objects.all())
    Trajectory.objects.update(observed_through=0)

    assert ending.end_silent() == 0


def test_later_call_continues_the_session_and_needs_new_evidence(alice: User) -> None:
    send(alice, *[same(n) for n in range(3)])
    ending.end(alice, "s", "", timezone.now() - timedelta(minutes=19))
    send(alice, same(300))

    trajectory = Trajectory.objects.get()
    assert (trajectory.ended_at, assess.open_findings(trajectory)) == (None, [])
    send(alice, same(301), same(302))
    assert [row.began_at_call for row in assess.open_findings(trajectory) if row.observer == "Repeated Call"] == [6]


def test_end_that_arrives_after_a_later_call_leaves_the_session_running(alice: User) -> None:
    send(alice, *[same(n) for n in range(3)])
    last_call = Trajectory.objects.get().last_call_at
    assert last_call is not None

    assert ending.end(alice, "s", "", last_call - timedelta(seconds=1)) == 0
    assert Trajectory.objects.get().worst != ""
    assert ending.end(alice, "s", "", last_call) == 1


def test_call_that_was_made_before_the_end_and_arrives_later_leaves_the_session_ended(alice: User) -> None:
    send(alice, same(0))
    ending.end(alice, "s", "", timezone.now())
    send(alice, *[same(n) for n in (1, 2, 3)], in_answer=False)

    trajectory = Trajectory.objects.get()
    assert (trajectory.calls_made, trajectory.ended_at is None, trajectory.worst) == (4, False, "")
    assert {(row.ended_at_call, row.ended_with_session) for row in trajectory.findings.all()} == {(4, True)}


@pytest.mark.parametrize("ended", [pytest.param(True, id="by its event"), pytest.param(False, id="by silence")])
def test_ended_session_has_no_open_findings(alice: User, ended: bool) -> None:
    send(alice, *[same(n) for n in range(3)])
    trajectory = Trajectory.objects.get()
    assert [row.is_open for row in assess.open_findings(trajectory)] == [True, True]
    if ended:
        ending.end(alice, "s", "", timezone.now())
    else:
        fall_silent(Trajectory.objects.all())

    trajectory.refresh_from_db()
    assert (assess.open_findings(trajectory), assess.render(trajectory), trajectory.worst_open) == ([], "", "")
    rows = assess.ended_findings(trajectory)
    assert [(row.is_open, row.outlasted_session, row.last_call) for row in rows] == [(False, True, 3)] * 2


def test_clock_that_is_ahead_does_not_keep_a_session_running(alice: User) -> None:
    send(alice, call(1, timestamp=(timezone.now() + timedelta(days=900)).isoformat()))

    trajectory = Trajectory.objects.get()
    assert trajectory.last_call_at is not None
    assert trajectory.last_call_at <= timezone.now()
