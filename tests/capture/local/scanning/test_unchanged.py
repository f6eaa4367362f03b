"""What a daemon keeps in mind from cycle to cycle spares it the states, and never hides a change."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.scanner import Unchanged, scan
from capture.local.scanning.state import STATE_FOLDER
from tests.support.agents.claude_transcripts import Transcript
from tests.support.laptops.capture_laptop import TEN, Laptop, cause


class Cycles:
    """Scans one after the other, as a daemon makes them."""

    def __init__(self, laptop: Laptop) -> None:
        self.laptop = laptop
        self.unchanged: Unchanged = {}

    def __call__(self) -> ScanReport:
        return scan(self.laptop.home, [self.laptop.root], unchanged=self.unchanged)


@pytest.fixture
def cycles(captured: Laptop) -> Cycles:
    cycles = Cycles(captured)
    assert [cycles(), cycles()] == [ScanReport(transcripts=1)] * 2
    return cycles


def opened(call: Callable[[], object]) -> list[str]:
    """The names of the files that a scan opens."""
    names: list[str] = []
    watching = True

    def hook(event: str, args: tuple[object, ...]) -> None:
        if watching and event == "open":
            names.append(os.path.basename(str(args[0])))

    sys.addaudithook(hook)
    call()
    watching = False
    return names


def test_a_cycle_in_which_nothing_changed_opens_neither_transcript_nor_state(cycles: Cycles):
    assert [
        name for name in opened(cycles) if name.endswith((".jsonl", f"{cycles.laptop.transcript.session}.json"))
    ] == []


def test_appended_message_is_detected(cycles: Cycles):
    cycles.laptop.transcript.agent(cause(11))
    assert cycles().messages == 1
    assert cycles.laptop.queued() == [*TEN, cause(11)]


def test_change_without_a_new_size_or_time_is_detected(cycles: Cycles):
    path = cycles.laptop.transcript.path
    stat = path.stat()
    path.write_bytes(path.read_bytes().replace(b"f1()", b"g1()"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert cycles().changed == 1


def test_another_transcript_of_the_same_name_is_detected(cycles: Cycles):
    path: Path = cycles.laptop.transcript.path
    Transcript(path.parent.with_name("-other") / path.name).agent(cause(11), uuid="another")
    assert cycles().learnings == 1


@pytest.mark.parametrize("content", [None, b"{"])
def test_deleted_or_damaged_state_is_detected(cycles: Cycles, content: bytes | None):
    (state,) = (cycles.laptop.home / STATE_FOLDER).glob("claude-code-*.json")
    if content is None:
        state.unlink()
    else:
        state.write_bytes(content)
    assert cycles().messages == 10
    assert cycles() == ScanReport(transcripts=1)


def test_scan_by_hand_between_two_cycles_is_detected(cycles: Cycles):
    cycles.laptop.transcript.agent(cause(11))
    cycles.laptop.scan()
    assert cycles().messages == 0
    assert cycles.laptop.queued() == [*TEN, cause(11)]


def test_damaged_compressed_transcript_is_reported_in_each_cycle_and_read_again_when_it_changes(cycles: Cycles):
    path = cycles.laptop.root / "rollout-2026-03-01T10-00-00-5f0c8a52-7d1e-4c6b-9a3f-2b1d0e9c8a77.jsonl.zst"
    path.write_bytes(b"no Zstandard at all")
    (problem,) = cycles().problems
    assert problem.startswith(f"{path}: is damaged (")

    again = ScanReport()
    names = opened(lambda: again.problems.extend(cycles().problems))
    assert (again.problems, [name for name in names if path.name in name]) == ([problem], [])

    path.write_bytes(zstandard.compress(b"{}\n" * 1000))
    assert cycles().problems == []
