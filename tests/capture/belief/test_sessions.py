"""When a learning is provisional: while the session that it was captured from still runs."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from capture import contexts, sink
from capture.belief.rules import Leading, judged, judgement, leading
from capture.belief.sessions import note_activity
from capture.contexts import ReportedContext
from capture.deliveries import IncomingLearning
from capture.models import Capture, CaptureState, Learning
from memoryserver.accounts.models import User
from tests.capture.test_sink import capture, learning

NOW = timezone.now()


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the time of the test: the module may have been imported minutes before."""
    monkeypatch.setattr(f"{__name__}.NOW", timezone.now())


def ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)


def said(user: User, minutes: float, *, context: str = "c", content: str = "Use uv, not pip") -> Learning:
    """A learning from a message of so many minutes ago, captured and delivered at once."""
    moment = ago(minutes)
    deliver(user, learning(content, time=moment), context=context, captured_at=moment)
    Capture.objects.filter(captured_at=moment).update(received_at=moment)
    return Learning.objects.get(content=content)


def deliver(user: User, message: IncomingLearning, *, context: str = "c", captured_at: datetime | None = None) -> None:
    arriving = capture(message, capture_id=uuid.uuid4(), context_id=context, captured_at=captured_at or NOW)
    sink.store(user, None, arriving)


def report(
    user: User, minutes: float, *, context: str = "c", messages: int = 60, ended: datetime | None = None
) -> None:
    contexts.report(user, [ReportedContext(context, "claude-code", "", messages, ago(minutes), ended=ended)])


def provisional(row: Learning) -> bool:
    return judgement(judged(Learning.objects.filter(pk=row.pk)).get()).provisional


def test_learning_of_a_session_that_runs_is_provisional_and_in_no_context(alice: User) -> None:
    row = said(alice, 5)

    assert provisional(row)
    assert judgement(judged(Learning.objects.all()).get()).verdict == "provisional"
    assert leading(Learning.objects.all()) == Leading(believed=[], unbelieved=[row.pk])


@pytest.mark.parametrize(("minutes", "expected"), [(29, True), (31, False)], ids=["shorter", "longer"])
def test_silence_of_half_an_hour_ends_it(minutes: float, expected: bool, alice: User) -> None:
    assert provisional(said(alice, minutes)) is expected


def test_old_transcript_is_believed_as_soon_as_it_is_captured(alice: User) -> None:
    sink.store(alice, None, capture(learning(time=ago(6_000)), captured_at=NOW))

    assert not provisional(Learning.objects.get())


def test_what_was_said_before_a_silence_stays_believed_when_the_session_goes_on(alice: User) -> None:
    before = said(alice, 45)
    after = said(alice, 1, content="Use pnpm, not npm")
    report(alice, 1)

    assert [provisional(before), provisional(after)] == [False, True]


def test_late_report_of_a_pause_settles_as_well(alice: User) -> None:
    before = said(alice, 45)
    report(alice, 1)

    assert (CaptureState.objects.get().settled_until, provisional(before)) == (ago(45), False)


def test_old_message_of_a_session_that_runs_is_provisional_though_delivered_late(alice: User) -> None:
    deliver(alice, learning(time=ago(60)))
    deliver(alice, learning("Use uv, not pip", time=ago(10)))
    report(alice, 1)

    assert [provisional(row) for row in Learning.objects.all()] == [True, True]


def test_reports_without_a_pause_keep_it_provisional(alice: User) -> None:
    row = said(alice, 45)
    for minutes in (30, 15, 1):
        report(alice, minutes, messages=100 - minutes)

    assert provisional(row)


def test_reported_end_settles_what_was_said_before_but_not_what_comes_after(alice: User) -> None:
    before = said(alice, 10)
    report(alice, 9, ended=ago(9))
    after = said(alice, 1, content="Use pnpm, not npm")

    assert [provisional(before), provisional(after)] == [False, True]


def test_end_settles_only_what_was_said_until_then_if_the_session_goes_on(alice: User) -> None:
    before = said(alice, 10)
    after = said(alice, 5, content="Use pnpm, not npm")
    report(alice, 5, ended=ago(8))

    assert [provisional(before), provisional(after)] == [False, True]


def test_end_settles_a_message_without_a_time_that_was_captured_after_it(alice: User) -> None:
    deliver(alice, learning(), captured_at=ago(1))
    row = Learning.objects.get()
    report(alice, 3, messages=50, ended=ago(3))

    assert not provisional(row)


def test_end_in_a_report_of_fewer_messages_settles_only_up_to_its_time(alice: User) -> None:
    deliver(alice, learning(), captured_at=ago(1))
    row = Learning.objects.get()
    report(alice, 3, messages=40, ended=ago(3))

    assert (provisional(row), CaptureState.objects.get().settled_until) == (True, ago(3))


def test_lines_that_an_agent_writes_while_it_ends_do_not_continue_the_session(alice: User) -> None:
    deliver(alice, learning(), captured_at=ago(1))
    row = Learning.objects.get()
    report(alice, 2.5, ended=ago(3))

    assert not provisional(row)


def test_learning_that_is_delivered_after_the_end_was_reported_is_not_provisional(alice: User) -> None:
    report(alice, 3, ended=ago(3))

    assert not provisional(said(alice, 4))


def test_end_in_the_future_settles_only_what_was_said_until_now(alice: User) -> None:
    report(alice, 0, ended=NOW + timedelta(days=400))

    assert CaptureState.objects.filter(settled_until__lt=NOW + timedelta(hours=1)).exists()


def test_learning_of_a_session_that_is_over_stays_believed_when_another_repeats_it(alice: User) -> None:
    said(alice, 6_000)
    row = said(alice, 1, context="other")

    assert (row.seen_count, provisional(row)) == (2, False)


def test_learning_stored_by_hand_is_never_provisional(alice: User) -> None:
    row = said(alice, 1)
    sink.store_by_hand(alice, None, learning("Use uv, not pip"))

    assert not provisional(row)


@pytest.mark.parametrize(
    ("moments", "ended", "last", "settled"),
    [
        ([10], False, 10, None),
        ([29], False, 29, None),
        ([30], False, 30, 0),
        ([30, 70], False, 70, 30),
        ([-5], False, 0, None),
        ([10], True, 10, 10),
        ([-5], True, 0, 0),
    ],
    ids=["soon", "just in time", "after a silence", "after two", "older", "end", "older end"],
)
def test_activity_moves_on_and_a_silence_or_the_end_settles_what_was_before(
    moments: Sequence[int], ended: bool, last: int, settled: int | None
) -> None:
    state = CaptureState(last_activity_at=NOW)
    for minutes in moments:
        note_activity(state, NOW + timedelta(minutes=minutes), ended=ended)

    assert state.last_activity_at == NOW + timedelta(minutes=last)
    assert state.settled_until == (None if settled is None else NOW + timedelta(minutes=settled))


def test_report_of_a_file_that_was_only_touched_is_no_activity(alice: User) -> None:
    row = said(alice, 6_000)
    count = CaptureState.objects.get().message_count
    report(alice, 0, messages=count)
    assert not provisional(row)

    report(alice, 0, messages=count + 1)
    assert not CaptureState.objects.filter(last_activity_at__lt=ago(1)).exists()
