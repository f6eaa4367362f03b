"""The observers' memory of a session as a JSON object."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.rows.tool_calls import START, Run, failed
from trajectory.local import ErrorCascadeDetector, ObserverConfig, ObserverState, ObserverTrigger, Session
from trajectory.local.engine import state_file

CASCADE = ObserverConfig(ErrorCascadeDetector(), ObserverTrigger(after_consecutive_errors=3))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session in which an observer has reported a finding and written it to a file."""
    run = Run(tmp_path, CASCADE)
    run.calls(*[failed()] * 4)
    return run.session


def row_of(session: Session) -> dict[str, object]:
    row: dict[str, object] = json.loads(json.dumps(state_file.to_row(session)))
    return row


def test_row_has_the_documented_keys(session: Session) -> None:
    row = row_of(session)
    assert set(row) == {"started", "state", "observers", "telling", "observed", "written", "write_failure"}
    assert row["started"] == "2026-01-15T14:32:01Z"
    assert list(session.progress) == list(row["observers"])  # type: ignore[call-overload]


def test_memory_comes_back_as_it_was(session: Session) -> None:
    other = Session()
    state_file.restore(other, row_of(session))
    assert (other.progress, other.notifications, other.written) == (
        session.progress,
        session.notifications,
        session.written,
    )
    assert other[ObserverState].latest() == session[ObserverState].latest()
    assert row_of(other) == row_of(session)


def test_new_session_comes_back_empty() -> None:
    other = Session()
    state_file.restore(other, row_of(Session()))
    assert (other.progress, other.started, other.written) == ({}, None, {})
    assert other[ObserverState].latest() == ObserverState()


@pytest.mark.parametrize(
    "damage",
    [
        {"observers": {"Watcher": {"no": 1}}},
        {"observers": {"Watcher": None}},
        {"state": {"no": 1}},
        {"started": "yesterday"},
        {"telling": {"no": 1}},
    ],
    ids=["field", "observer", "state", "time", "telling"],
)
def test_damaged_part_starts_the_memory_over_and_keeps_what_was_written(
    session: Session, damage: dict[str, object]
) -> None:
    other = Session()
    other.started = START
    state_file.restore(other, row_of(session) | damage)
    assert row_of(other) == row_of(Session()) | {"written": session.written}


@pytest.mark.parametrize("row", [{}, {"observers": [], "state": 3, "written": "x"}])
def test_missing_or_foreign_parts_are_an_empty_memory(row: dict[str, object]) -> None:
    other = Session()
    state_file.restore(other, row)
    assert (other.progress, other.started, other.written) == ({}, None, {})


def test_table_is_the_object_at_a_key_or_empty() -> None:
    row = {"a": {"b": 1}, "c": [1]}
    assert [state_file.table(row, key) for key in ("a", "c", "d")] == [{"b": 1}, {}, {}]
