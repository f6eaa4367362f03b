"""What is stored of a finding: its worst, when the agent was told, and when it ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memoryserver.accounts.models import User
from obslog.models import Observation
from trajectory.calls import findings
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment
from trajectory.models import AssessmentRecord, Trajectory

AT = datetime(2026, 1, 15, 14, 32, tzinfo=UTC)


def finding(severity: Any = "caution", identity: str = "make") -> Assessment:
    return Assessment("Stall", f"a {severity}", timestamp=AT, severity=severity, identity=identity)


def call(index: int) -> ToolCallRecord:
    return ToolCallRecord("Bash", "command=make", success=False, timestamp=AT, call_index=index)


@pytest.fixture
def trajectory(alice: User) -> Trajectory:
    return Trajectory.objects.create(user=alice, session_id="s")


def rows() -> list[tuple[Any, ...]]:
    fields = ("identity", "severity", "began_at_call", "told_at_call", "ended_at_call")
    return list(AssessmentRecord.objects.order_by("pk").values_list(*fields))


def logged() -> list[str]:
    return sorted(Observation.objects.filter(source="system:trajectory").values_list("type", flat=True))


def test_finding_gets_worse_is_told_and_ends_in_one_row(trajectory: Trajectory) -> None:
    mild, bad = {"Stall": finding()}, {"Stall": finding("warning")}
    findings.store(trajectory, {}, mild, [], call(3))
    findings.store(trajectory, mild, bad, [bad["Stall"]], call(4))
    findings.store(trajectory, bad, {}, [], call(9))

    assert rows() == [("make", "warning", 3, 4, 9)]
    assert logged() == ["trajectory.caution", "trajectory.warning"]


def test_finding_about_something_else_ends_the_one_before(trajectory: Trajectory) -> None:
    one, other = {"Stall": finding()}, {"Stall": finding(identity="pytest")}
    findings.store(trajectory, {}, one, [], call(3))
    findings.store(trajectory, one, other, [], call(5))

    assert rows() == [("make", "caution", 3, None, 5), ("pytest", "caution", 5, None, None)]


def test_finding_that_is_unchanged_is_written_and_logged_once(trajectory: Trajectory) -> None:
    open_ones = {"Stall": finding("info")}
    findings.store(trajectory, {}, open_ones, [], call(3))
    findings.store(trajectory, open_ones, open_ones, [], call(4))

    assert (rows(), logged()) == ([("make", "info", 3, None, None)], [])


def test_first_and_each_later_telling_are_kept_with_what_the_finding_said(trajectory: Trajectory) -> None:
    mild, bad = {"Stall": finding()}, {"Stall": finding("warning")}
    findings.store(trajectory, {}, mild, [], call(3))
    findings.store(trajectory, mild, mild, [mild["Stall"]], call(4))
    findings.store(trajectory, mild, bad, [bad["Stall"]], call(9))

    row = AssessmentRecord.objects.get()
    assert (row.first_told_at_call, row.told_at_call, row.told_at) == (4, 9, [4, 9])
    assert [(each.call, each.what, each.severity, each.summary) for each in row.history()] == [
        (3, "noticed", "caution", "a caution"),
        (4, "told", "caution", "a caution"),
        (9, "told", "warning", "a warning"),
    ]


def test_log_says_at_which_call_a_finding_became_so_severe_and_whether_the_agent_was_told(
    trajectory: Trajectory,
) -> None:
    noted, bad = {"Stall": finding("info")}, {"Stall": finding("warning")}
    findings.store(trajectory, {}, noted, [], call(3))
    findings.store(trajectory, noted, bad, [], call(4))
    findings.store(trajectory, bad, {}, [], call(5))
    findings.store(trajectory, {}, bad, [bad["Stall"]], call(8))

    messages = Observation.objects.filter(source="system:trajectory").order_by("pk").values_list("message", flat=True)
    assert list(messages) == ["Stall noticed a warning at call 4", "Stall told the agent of a warning at call 8"]


def test_many_tellings_are_bounded_and_the_beginning_stays(trajectory: Trajectory) -> None:
    findings.store(trajectory, {}, {"Stall": finding()}, [], call(3))
    row = AssessmentRecord.objects.get()
    for number in range(4, 104):
        row.note(number, "told")
    calls = [each.call for each in row.history()]
    assert (calls[0], calls[1:], row.first_told_at_call) == (3, list(range(63, 104)), 4)


def test_row_of_before_tellings_were_kept_has_its_beginning_and_the_last_one(trajectory: Trajectory) -> None:
    findings.store(trajectory, {}, {"Stall": finding()}, [], call(3))
    AssessmentRecord.objects.update(moments=[], told_at_call=7)
    history = AssessmentRecord.objects.get().history()
    assert [(each.call, each.what) for each in history] == [(3, "noticed"), (7, "told")]
