"""What the agent was notified of, and what is worth a second message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rows.tool_calls import Run
from tests.trajectory.local.observers.calls import call, edit, error, others
from trajectory.local import (
    DEFAULT_OBSERVERS,
    Assessment,
    ObserverConfig,
    ObserverTrigger,
    RepeatCall,
    Session,
    ToolCallRecord,
)
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
    assert run.session.notifications.at == 3
    assert [(matter.at, matter.times, matter.severity) for matter in run.session.notifications.matters] == [
        (3, 1, "caution")
    ]


def lints(n: int) -> list[ToolCallRecord]:
    return [error("Bash", "make lint", "make: *** No rule to make target 'lint'.") for _ in range(n)]


def back_and_forth(n: int) -> list[ToolCallRecord]:
    return [edit(before="int" if k % 2 else "float", after="float" if k % 2 else "int") for k in range(n)]


def statuses(n: int) -> list[ToolCallRecord]:
    return [call("Bash", "git status", "On branch main, two files are changed") for _ in range(n)]


def missing(n: int) -> list[ToolCallRecord]:
    return [error("Bash", "cat nosuch.txt", "cat: nosuch.txt: No such file or directory") for _ in range(n)]


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([*lints(6), *missing(6)], [3, 6, 10, 12]),
        ([*lints(6), *back_and_forth(8)], [3, 6, 10, 12]),
        ([*back_and_forth(8), *lints(6), *statuses(4)], [4, 6, 11, 14, 18]),
    ],
    ids=["another failing call", "edits back and forth", "three loops"],
)
def test_another_loop_is_told_at_once_though_the_agent_was_just_told_of_one(
    tmp_path: Path, records: list[ToolCallRecord], told: list[int]
) -> None:
    assert Run(tmp_path, *DEFAULT_OBSERVERS).calls(*records) == told


def test_loop_that_others_see_as_well_is_told_once_for_all_of_them(tmp_path: Path) -> None:
    run = Run(tmp_path, *DEFAULT_OBSERVERS)
    assert run.calls(*lints(45)) == [3, 6, 26]
    assert run.session.progress["Error Rate Monitor"].standing is not None


def test_calls_that_continue_a_finding_are_the_same_matter_when_another_observer_sees_them(tmp_path: Path) -> None:
    """The cascade was told at the fourth failure; the rate of failures among the next ones is nothing new."""
    failures = [error("Bash", f"cmd {k}", f"boom {k}") for k in range(12)]
    then = [each for k in range(6, 10) for each in (call("Bash", f"ls {k}", f"{k}.py"), failures[k])]
    run = Run(tmp_path, *DEFAULT_OBSERVERS)
    assert run.calls(*failures, *then) == [4]
    assert run.session.progress["Error Rate Monitor"].standing is not None
