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
