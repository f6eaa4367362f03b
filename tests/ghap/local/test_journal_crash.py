"""Processes that really end, at every third file operation of every call that changes the journal.

`bench/proofs/crash_points.py` ends them at every one.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from typing import Any

import pytest

CALLS = (
    "create",
    "create_without_session",
    "update",
    "resolve",
    "abandon",
    "start_session",
    "end_session",
    "end_session_with_orphan",
    "adopt",
    "adopt_without_session",
    "abandon_orphan",
    "reopen_session",
    "leave_session",
    "resolve_by_check",
)
STRIDE = 3
COLLECTOR_CALLS = ("create_without_session", "update", "resolve", "end_session")


@functools.cache
def crash(kind: str, mode: str, *calls: str) -> dict[str, Any]:
    """The harness' report, by call."""
    words = [sys.executable, "-m", "tests.ghap.local.crash", kind, mode, str(STRIDE), *calls]
    process = subprocess.run(words, capture_output=True, check=False, timeout=300)
    assert process.returncode == 0, process.stderr.decode()
    report: dict[str, Any] = json.loads(process.stdout)
    return report


def steady(moment: str) -> str:
    """The moment without what is different in the names of temporary files and archives each time."""
    return re.sub(r"\.\d+\.[0-9a-f]{8}\.tmp$|\d{8}_session_\d{8}_\d{6}_[0-9a-f]{6}", "", moment)


@pytest.mark.parametrize("call", CALLS)
def test_process_ended_at_any_file_operation_loses_and_doubles_nothing(call: str) -> None:
    report = crash("journal", "exit", "all")[call]
    assert report["failures"] == []
    assert report["points"] == len(report["moments"][::STRIDE])
    assert len(report["moments"]) > 8


@pytest.mark.parametrize("call", CALLS)
def test_disk_full_at_any_file_operation_is_reported_and_loses_nothing(call: str) -> None:
    report = crash("journal", "full", "all")[call]
    assert report["failures"] == []
    assert report["points"] == len(report["moments"][::STRIDE])
    assert len(report["moments"]) > 8


@pytest.mark.parametrize("call", COLLECTOR_CALLS)
@pytest.mark.parametrize("mode", ["exit", "full"])
def test_collector_writes_in_the_same_steps_and_loses_as_little(mode: str, call: str) -> None:
    report = crash("collector", mode, call)[call]
    assert report["failures"] == []
    expected = crash("journal", mode, "all")[call]["moments"]
    assert [steady(name) for name in report["moments"]] == [steady(name) for name in expected]


def test_process_ended_again_while_it_recovers_loses_and_doubles_nothing() -> None:
    report = crash("journal", "exit", "end_session", "end_session")["end_session"]
    assert report["failures"] == []


def test_resolve_has_the_entry_on_disk_before_it_is_cleared() -> None:
    moments = crash("journal", "full", "all")["resolve"]["moments"]
    assert moments == [
        "open .lock",
        "write",
        "half-written",
        "open session_entries.jsonl",
        "write",
        "half-written",
        "fsync",
        "unlink current_ghap.json",
        "open journal",
        "fsync",
    ]
