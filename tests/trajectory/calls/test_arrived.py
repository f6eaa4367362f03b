"""What is asked of a tool call before it is stored, and what it does to its session."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memoryserver.accounts.models import User
from trajectory.calls import arrived
from trajectory.local.calls import record, repeats
from trajectory.local.calls.row import row_of
from trajectory.models import Trajectory

RAW: dict[str, object] = {
    "tool_name": "Bash",
    "tool_input": {"command": "make"},
    "error": "Exit code 2",
    "timestamp": "2026-01-15T14:32:00Z",
}


def row(**fields: Any) -> dict[str, Any]:
    return record.to_row(record.from_row(row_of(RAW))) | fields


def test_call_of_an_agent_becomes_a_record_and_a_record_stays_one() -> None:
    parsed = arrived.row_of_call({**RAW, "id": "c1", "transcript_path": "/etc/passwd"})

    assert (parsed, arrived.is_record(RAW), arrived.is_record(parsed)) == (row(), False, True)
    assert arrived.row_of_call({**parsed, "id": "c1"}) == parsed


def test_what_a_record_shows_is_redacted_and_cut() -> None:
    shown = arrived.shown(row(params_summary=f"password=hunter2hunter2 {'x' * 300}", tool_name="Ba\x1b[1m\nsh"))

    assert shown["params_summary"].startswith("password=[redacted:password] xxx")
    assert (len(shown["params_summary"]), shown["tool_name"]) == (200, "Ba sh")


def test_record_that_is_too_long_is_refused_by_its_limit() -> None:
    message = r"^a call has at most 16384 characters as a record; send its result as a hash$"
    with pytest.raises(ValueError, match=message):
        arrived.shown(row(paths=["x" * 16_384]))
    with pytest.raises(ValueError, match=message):
        arrived.row_of_call(row(paths=["x" * 16_384]))


def test_calls_are_numbered_and_the_latest_thirty_kept_for_the_next() -> None:
    trajectory, recent = Trajectory(calls_made=7), list[dict[str, Any]]()
    numbered = [row() for _ in range(40)]
    for each in numbered:
        arrived.number(each, trajectory, recent)

    assert [each["call_index"] for each in numbered] == list(range(8, 48))
    assert ([each["repeats"] for each in numbered[:3]], trajectory.calls_made) == ([1, 2, 3], 47)
    assert [each["streak"] for each in recent] == list(range(11, 41))
    assert len(recent) == repeats.WITHIN


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ([["Stall", "x"], "no pair", ["one"], [1, 2]], [["Stall", "x"], ["1", "2"]]),
        ("no list", []),
        ([["Stall", "x"]] * 30, [["Stall", "x"]] * 20),
    ],
    ids=["some malformed", "no list", "too many"],
)
def test_findings_that_a_laptop_told_are_kept_as_far_as_they_are_pairs(sent: object, kept: list[list[str]]) -> None:
    assert arrived.notified(row(notified=sent)) == kept
    assert arrived.notified(RAW | {"notified": sent}) == []


def test_call_moves_the_times_of_its_session_and_continues_one_that_ended(alice: User) -> None:
    ended = datetime(2026, 1, 15, 14, tzinfo=UTC)
    trajectory = Trajectory(
        user=alice, session_id="s", agent_id="a", last_call_at=ended, started_at=ended, ended_at=ended
    )
    call = arrived.made_of(trajectory, "c1", row(call_index=3), [])

    made = datetime(2026, 1, 15, 14, 32, tzinfo=UTC)
    assert (call.call_id, call.call_index, call.tool_name, call.outcome, call.made_at) == (
        "c1",
        3,
        "Bash",
        "error",
        made,
    )
    assert (call.session_id, call.agent_id) == ("s", "a")
    assert (trajectory.started_at, trajectory.last_call_at, trajectory.ended_at) == (ended, made, None)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("c\n1\x00", "c 1\ufffd"), (7, "7"), (True, ""), (None, ""), ("x" * 101, "x" * 100)],
)
def test_identifier_is_one_clean_line_of_bounded_length(given: object, kept: str) -> None:
    assert arrived.identifier(given, arrived.MAX_ID) == kept


def test_commands_that_ran_are_announced_and_no_other_calls(
    alice: User, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    listeners = {"test": lambda runs: heard.extend(run.text for run in runs)}
    monkeypatch.setattr("memoryserver.hooks.commands._listeners", listeners)
    trajectory = Trajectory(user=alice, session_id="s")
    kinds = [{}, {"outcome": "denial"}, {"kind": "read"}]
    calls = [arrived.made_of(trajectory, "c", row(call_index=1, **fields), []) for fields in kinds]
    with django_capture_on_commit_callbacks(execute=True):
        arrived.announce(calls)

    assert heard == ["make"]
