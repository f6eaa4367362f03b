"""Of what the agent was notified, and whether another finding is about the same."""

from __future__ import annotations

import json

import pytest

from memoryserver.common.light import replace
from tests.support.rows.tool_calls import START, failed, ok, session_of
from tests.trajectory.local.observers.calls import call, edit, error
from trajectory.local import Assessment, Observation, Severity, ToolCallRecord
from trajectory.local.engine import matters
from trajectory.local.engine.matters import NotificationState, Told, marks_of, told_of


def told(*marks: str, name: str = "loop", severity: Severity = "caution", key: str = "Watcher") -> Told:
    seen = (Observation("Loop", "Seen.", "#1"),)
    finding = Assessment("Watcher", "Seen.", seen, severity=severity, timestamp=START, identity=name)
    return Told(key, finding, frozenset(marks))


def after(*calls: int, severity: Severity = "caution") -> NotificationState:
    """The state after the agent was notified of one finding about the mark `a` at these calls."""
    state = NotificationState()
    for number in calls:
        state = state.after(told("a", severity=severity), number, "turn")
    return state


def test_first_notification_waits_for_nothing() -> None:
    assert NotificationState().allows(told("a"), 1, "turn") is True


@pytest.mark.parametrize(
    ("calls", "pause"), [((10,), 20), ((1, 10), 40), ((1, 2, 10), 80), ((1, 2, 3, 10), 80), ((*range(1, 40), 40), 80)]
)
def test_pause_of_a_matter_doubles_from_20_to_80_calls(calls: tuple[int, ...], pause: int) -> None:
    state = after(*calls)
    assert [state.allows(told("a"), calls[-1] + later, "turn") for later in (pause - 1, pause)] == [False, True]


@pytest.mark.parametrize(
    ("other", "allowed"),
    [
        (told("b", name="other"), True),
        (told(name="other"), True),
        (told("b", key="Other"), True),
        (told("a", "b", name="other"), False),
        (told("b"), False),
        (told("a", key="Other"), False),
    ],
    ids=["other calls", "no calls", "other observer", "shared calls", "same finding", "same calls of other observer"],
)
def test_another_matter_waits_for_nothing_and_the_same_one_for_its_pause(other: Told, allowed: bool) -> None:
    assert after(10).allows(other, 11, "turn") is allowed


def test_worse_finding_and_another_turn_end_the_pause() -> None:
    assert after(10).allows(told("a", severity="warning"), 11, "turn") is True
    assert after(10).allows(told("a"), 11, "next turn") is True


def test_finding_that_is_less_severe_than_one_of_its_matter_waits() -> None:
    state = after(10, severity="warning").after(told("a"), 31, "turn")
    assert state.allows(told("a", severity="warning"), 32, "turn") is False


def test_worse_finding_does_not_lengthen_the_pause() -> None:
    state = after(1, 10).after(told("a", severity="warning"), 12, "turn")
    assert [(matter.at, matter.times, matter.severity) for matter in state.matters] == [(12, 2, "warning")]


def test_finding_about_two_matters_makes_them_one() -> None:
    state = after(1).after(told("b", name="other"), 2, "turn").after(told("a", "b", name="both"), 30, "turn")
    assert [(matter.at, matter.times, set(matter.marks)) for matter in state.matters] == [(30, 2, {"a", "b"})]


def test_another_turn_forgets_the_matters() -> None:
    state = after(1, 2).after(told("b", name="other"), 30, "next")
    assert [(matter.at, matter.times, matter.marks) for matter in state.matters] == [(30, 1, ("b",))]


def test_further_call_of_a_matter_counts_to_it_and_that_of_another_finding_does_not() -> None:
    assert [each.marks for each in after(1).going_on(told("b")).matters] == [("a", "b")]
    assert after(1).going_on(told("b", name="other")) == after(1)


def test_latest_forty_marks_and_ten_matters_are_kept() -> None:
    state = after(1).going_on(told(*(f"{number:03}" for number in range(100))))
    assert state.matters[0].marks == tuple(f"{number:03}" for number in range(60, 100))
    for number in range(20):
        state = state.after(told(f"m{number}", name=f"other {number}"), number, "turn")
    assert [matter.at for matter in state.matters] == list(range(10, 20))


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (call("Bash", "make", "ok"), call("Bash", "make", "no"), True),
        (call("Bash", "make", "ok"), call("Bash", "ls", "ok"), True),
        (call("Bash", "make", "ok"), call("Read", "ls", "ok"), False),
        (error("Bash", "make", "boom"), error("Read", "a.py", "boom"), True),
        (error("Bash", "make", "boom"), error("Bash", "ls", "bang"), False),
        (edit(after="new"), edit(before="other", after="new"), True),
        (ok("Read", "path=a"), ok("Read", "path=a"), True),
        (failed("Read", "path=a", "x"), failed("Read", "path=b", "y"), False),
    ],
    ids=[
        "call",
        "result",
        "result of another tool",
        "error",
        "two failures",
        "state of a file",
        "shown",
        "shown apart",
    ],
)
def test_calls_are_known_again_by_what_they_share(one: ToolCallRecord, other: ToolCallRecord, meet: bool) -> None:
    assert bool(marks_of([one]) & marks_of([other])) is meet


def test_finding_is_known_by_the_calls_that_it_names_and_without_any_by_its_observer() -> None:
    records = session_of(error("Bash", "make", "boom"), error("Bash", "ls", "bang"))[ToolCallRecord].all()
    finding = told().finding
    assert told_of("Watcher", replace(finding, calls=(2,)), records).marks == marks_of(records[1:])
    unnamed = [told_of(key, finding, records).marks for key in ("Watcher", "Watcher", "Other")]
    assert unnamed[0] == unnamed[1] != unnamed[2]


@pytest.mark.parametrize("state", [NotificationState(), after(3), after(3).after(told("b", name="x"), 9, "turn")])
def test_state_comes_back_from_json(state: NotificationState) -> None:
    assert matters.from_row(json.loads(json.dumps(matters.to_row(state)))) == state


def test_state_of_before_there_were_matters_keeps_the_call_and_the_turn() -> None:
    row = {"at": 10, "times": 2, "severity": "caution", "turn": "turn"}
    assert matters.from_row(row) == NotificationState(10, "turn")


@pytest.mark.parametrize("row", [{"no": 1}, {"at": 1, "turn": "", "matters": [{}]}, {"at": "x", "turn": ""}])
def test_damaged_state_is_refused(row: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        matters.from_row(row)
