"""Processes that really end, at every file operation of every call that changes the journal."""

from __future__ import annotations

import functools
import json
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
)


@functools.cache
def crash(*words: str) -> dict[str, Any]:
    """The harness' report, by call."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.ghap.local.crash", *words], capture_output=True, check=False, timeout=300
    )
    assert process.returncode == 0, process.stderr.decode()
    report: dict[str, Any] = json.loads(process.stdout)
    return report


@pytest.mark.parametrize("call", CALLS)
def test_process_ended_at_any_file_operation_loses_and_doubles_nothing(call: str) -> None:
    report = crash("exit", "all")[call]
    assert report["failures"] == []
    assert report["points"] == len(report["moments"]) > 8


@pytest.mark.parametrize("call", CALLS)
def test_disk_full_at_any_file_operation_is_reported_and_loses_nothing(call: str) -> None:
    report = crash("full", "all")[call]
    assert report["failures"] == []
    assert report["points"] == len(report["moments"]) > 8


def test_process_ended_again_while_it_recovers_loses_and_doubles_nothing() -> None:
    report = crash("exit", "end_session", "end_session")["end_session"]
    assert report["failures"] == []


def test_resolve_has_the_entry_on_disk_before_it_is_cleared() -> None:
    moments = crash("full", "all")["resolve"]["moments"]
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
