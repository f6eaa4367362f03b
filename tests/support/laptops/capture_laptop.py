"""A laptop that captures: its home, and transcripts with learnings to count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capture.local.queue import files as queue
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.scanner import scan
from capture.local.scanning.state import STATE_FOLDER, CaptureState, CaptureStateManager
from tests.support.agents.claude_transcripts import SESSION, Transcript


def cause(number: int) -> str:
    return f"The root cause of #{number} was that `f{number}()` returned None."


class Laptop:
    """A home of memoryserver, a folder of transcripts, and one transcript in it."""

    def __init__(self, base: Path) -> None:
        self.home = base / "home"
        self.root = base / "projects"
        self.transcript = Transcript(self.root / "-slug" / f"{SESSION}.jsonl")
        self.states = CaptureStateManager(self.home / STATE_FOLDER)

    def scan(self) -> ScanReport:
        return scan(self.home, [self.root])

    def files(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_bytes()) for path in queue.waiting(self.home / QUEUE_FOLDER)]

    def queued(self) -> list[str]:
        return [learning["content"] for file in self.files() for learning in file["learnings"]]

    def state(self, path: Path | None = None) -> CaptureState:
        (state,) = [state for state in self.states.all() if state.transcript == str(path or self.transcript.path)]
        return state


TEN = [cause(number) for number in range(1, 11)]


def empty_home(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of memoryserver on a laptop without transcripts, server and services."""
    monkeypatch.setenv("MEMORYSERVER_HOME", str(root / "memory"))
    monkeypatch.setenv("HOME", str(root / "nobody"))
    for name in (
        "CLAUDE_CONFIG_DIR",
        "MEMORYSERVER_URL",
        "MEMORYSERVER_TOKEN",
        "MEMORYSERVER_NOTIFY",
        "XDG_CONFIG_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    return root / "memory"
