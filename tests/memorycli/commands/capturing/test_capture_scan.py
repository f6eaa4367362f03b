"""`memory capture scan`: what it says, and what it does where a transcript or a folder cannot be read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from capture.local.queue import files as queue
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.scanning.scanner import LOCK_FILE
from memorycli.main import main
from memoryserver.common import files
from tests.support.agents.claude_transcripts import Transcript


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A laptop without transcripts."""
    home = tmp_path / "memory"
    monkeypatch.setenv("MEMORYSERVER_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return home


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    transcript = Transcript(tmp_path / "projects" / "-slug" / "s.jsonl")
    transcript.agent("The root cause was that `parse()` drops the zone.")
    return transcript


def scan(transcript: Transcript, *options: str) -> int:
    return main(["capture", "scan", "--root", str(transcript.path.parent), *options])


def out(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.strip()


def test_scan_prints_its_counts_and_the_second_scan_finds_nothing(
    transcript: Transcript, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scan(transcript) == 0
    assert out(capsys) == "1 transcript, 1 with something new: 1 message, 1 learning into 1 queue file."
    assert scan(transcript) == 0
    assert out(capsys) == "1 transcript, 0 with something new: 0 messages, no new learnings."


def test_scan_as_json(transcript: Transcript, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scan(transcript, "--json")
    report = json.loads(out(capsys))
    assert report["queued"] == [path.name for path in queue.waiting(home / QUEUE_FOLDER)]
    assert (report["transcripts"], report["messages"], report["learnings"], report["problems"]) == (1, 1, 1, [])


def test_scan_finds_the_agents_own_folders(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(transcript.path.parent.parent.parent))
    assert main(["capture", "scan"]) == 0
    assert out(capsys).startswith("1 transcript, 1 with something new")


def test_scan_without_any_transcripts_names_the_option_for_their_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capture", "scan"]) == 0
    assert out(capsys) == "No transcripts found; name their folder with --root."


def test_scan_of_a_folder_that_does_not_exist_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capture", "scan", "--root", str(tmp_path / "missing")]) == 1
    assert capsys.readouterr().err == f"memory: {tmp_path / 'missing'} is not a folder\n"


def test_scan_during_another_names_its_process(
    transcript: Transcript, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("memorycli.commands.capturing.capture_scan.LOCK_TIMEOUT", 0.05)
    files.make_folder(home)
    with files.lock(home / LOCK_FILE):
        assert scan(transcript) == 1
    assert f"process {os.getpid()}" in capsys.readouterr().err


def test_scan_names_a_transcript_that_cannot_be_read_and_captures_the_others(
    transcript: Transcript, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = transcript.path.with_name("a.jsonl")
    loop.symlink_to(loop)
    assert scan(transcript) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("2 transcripts, 1 with something new: 1 message, 1 learning")
    assert printed.err.startswith(f"memory: could not capture {loop}: ")
    assert printed.err.count("\n") == 1
