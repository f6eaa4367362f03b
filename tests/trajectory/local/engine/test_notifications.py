"""What the agent was notified of, and what is worth a second message."""

from __future__ import annotations

from pathlib import Path

from tests.support.tool_calls import Run
from tests.trajectory.local.observers.calls import call, others
from trajectory.local import Assessment, ObserverConfig, ObserverTrigger, RepeatCall, Session, ToolCallRecord
from trajectory.local.engine import notifications
from trajectory.local.engine.runner import run_observers
from trajectory.local.engine.session import RecordToolCall
from trajectory.local.replay import MemoryFilesystem

REPEATS = ObserverConfig(RepeatCall(), ObserverTrigger(after_repeats=3))


def cats(n: int) -> list[ToolCallRecord]:
    return [call("Bash", "cat x", "text") for _ in range(n)]


def answered(run: Run, record: ToolCallRecord) -> tuple[tuple[Assessment, ...], str]:
    """Make the call and return what the answer to it notifies the agent of, where something is known of all."""
    return notifications.answer(run.session, run.call(record), lambda _: "cat it once")


def test_finding_is_worth_a_reminder_after_three_more_calls_and_once(tmp_path: Path) -> None:
    run = Run(tmp_path, REPEATS)
    answers = [answered(run, record) for record in cats(8)]
    assert [(len(news), "Known here: cat it once" in text) for news, text in answers] == [
        *[(0, False), (0, False), (1, False), (0, False), (0, False), (1, True), (0, False), (0, False)]
    ]
    assert run.session.notifications.at == 6


def test_nothing_is_looked_up_before_a_reminder_is_due_nor_again_where_nothing_is_known(tmp_path: Path) -> None:
    run = Run(tmp_path, REPEATS)
    asked: list[int] = []

    def lookup(_finding: Assessment) -> str:
        asked.append(len(run.session[ToolCallRecord].all()))
        return ""

    for record in cats(9):
        notifications.answer(run.session, run.call(record), lookup)
    assert asked == [6]


def test_reminder_waits_where_something_else_is_new(tmp_path: Path) -> None:
    run = Run(tmp_path, REPEATS)
    for record in cats(5):
        answered(run, record)
    run.call(call("Bash", "cat x", "text"))
    other = Assessment("Other", "Something else.", severity="warning")

    news, text = notifications.answer(run.session, [other], lambda _: "cat it once")
    assert (news, "Known here" in text) == ((other,), False)
    assert "Known here: cat it once" in answered(run, call("Bash", "cat x", "text"))[1]


def test_finding_that_ended_and_came_back_unsaid_is_worth_none(tmp_path: Path) -> None:
    run = Run(tmp_path, REPEATS)
    run.calls(*cats(3), *others(6), *cats(6))
    assert run.session.progress["Repeated Call"].standing is not None
    assert notifications.answer(run.session, [], lambda _: "cat it once") == ((), "")


def test_call_without_an_answer_notifies_nobody_and_the_next_one_with_an_answer_does() -> None:
    session, files = Session(), MemoryFilesystem()
    said = []
    for number, record in enumerate(cats(5), 1):
        session.dispatch(RecordToolCall(record))
        news = run_observers(session, [REPEATS], files, now=record.timestamp, in_answer=number != 3)
        said.append([(finding.observer_name, session.progress["Repeated Call"].told_since) for finding in news])
    assert said == [[], [], [], [("Repeated Call", 4)], []]


def test_recorded_notification_is_known_to_the_observer_and_to_the_session(tmp_path: Path) -> None:
    run = Run(tmp_path, ObserverConfig(RepeatCall(), ObserverTrigger(after_repeats=3), tell=False))
    run.calls(*cats(3))
    latest = run.session[ToolCallRecord].latest()
    memory = run.session.progress["Repeated Call"]
    assert latest is not None
    assert memory.standing is not None
    notifications.record(run.session, latest, {"Repeated Call": memory.standing})
    assert run.session.progress["Repeated Call"].agent_was_notified() is True
    assert (run.session.notifications.at, run.session.notifications.severity) == (3, "caution")
