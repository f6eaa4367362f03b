"""Transcripts compressed with Zstandard: read by whatever is there to do it, and never passed over in silence."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
import zstandard

from capture.local.scanning.scan_report import ScanReport
from capture.local.transcripts import compressed
from capture.local.transcripts.agents.codex import CodexReader
from capture.local.transcripts.reader import TranscriptError
from tests.support.agents.codex_rollouts import Rollout
from tests.support.laptops.capture_laptop import TEN, Laptop, cause

PROGRAM = shutil.which("zstd")


def compress(path: Path, *, frames: int = 1) -> Path:
    """As Codex does with old transcripts: the plain file is gone afterwards."""
    content = path.read_bytes()
    size = -(-len(content) // frames)
    parts = (content[at : at + size] for at in range(0, len(content), size))
    target = path.with_name(f"{path.name}.zst")
    target.write_bytes(b"".join(zstandard.compress(part) for part in parts))
    path.unlink()
    return target


@pytest.fixture
def rollout(laptop: Laptop) -> Rollout:
    rollout = Rollout(laptop.root / "2026")
    rollout.begin(source={"subagent": "review"})
    for number in range(1, 11):
        rollout.agent(cause(number))
    return rollout


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)


@pytest.fixture
def zstd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_package: None) -> Path:
    """A program of that name, which decompresses by the package, before all others on the PATH."""
    program = tmp_path / "bin" / "zstd"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys, zstandard\n"
        "assert sys.argv[1:3] == ['-dcq', '--'], sys.argv\n"
        "try:\n"
        "    with open(sys.argv[3], 'rb') as file:\n"
        "        for chunk in zstandard.ZstdDecompressor().read_to_iter(file):\n"
        "            sys.stdout.buffer.write(chunk)\n"
        "except zstandard.ZstdError as error:\n"
        "    sys.exit(f'zstd: {error}')\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return program


def test_a_transcript_in_several_frames_is_read_whole(laptop: Laptop, rollout: Rollout):
    path = compress(rollout.path, frames=3)
    report = laptop.scan()
    assert (report.learnings, report.problems, laptop.queued()) == (10, [], TEN)
    assert laptop.scan() == ScanReport(transcripts=1)
    assert CodexReader().agent_name(path) == "review"


def test_a_transcript_that_is_compressed_later_goes_on_where_it_was(laptop: Laptop, rollout: Rollout):
    laptop.scan()
    rollout.agent(cause(11))
    compress(rollout.path)
    report = laptop.scan()
    assert (report.messages, report.compactions, laptop.queued()) == (1, 0, [*TEN, cause(11)])
    assert [file["context_id"] for file in laptop.files()] == [f"codex-2026-01-02T03-04-05-{rollout.thread}"] * 2
    assert laptop.scan() == ScanReport(transcripts=1)


def test_without_the_package_the_program_is_used(laptop: Laptop, rollout: Rollout, zstd: Path):
    path = compress(rollout.path)
    assert (laptop.scan().problems, laptop.queued()) == ([], TEN)
    assert CodexReader().agent_name(path) == "review"


def test_with_neither_the_transcript_is_a_problem_that_says_what_to_install(
    laptop: Laptop, rollout: Rollout, no_package: None, monkeypatch: pytest.MonkeyPatch
):
    path = compress(rollout.path)
    Rollout(laptop.root, thread="b").agent(cause(11))
    monkeypatch.setenv("PATH", "")
    report = laptop.scan()
    assert report.problems == [
        f"{path}: is compressed, and nothing here can decompress it: pip install 'memoryserver[codex]', or install zstd"
    ]
    assert laptop.queued() == [cause(11)]
    monkeypatch.undo()
    laptop.scan()
    assert sorted(laptop.queued()) == sorted([*TEN, cause(11)])


@pytest.mark.parametrize("tool", ["package", "program"])
def test_a_damaged_file_is_a_problem_and_no_other_is_held_up(
    laptop: Laptop, rollout: Rollout, tool: str, request: pytest.FixtureRequest
):
    path = compress(rollout.path)
    path.write_bytes(b"no Zstandard at all")
    Rollout(laptop.root, thread="b").agent(cause(11))
    if tool == "program":
        request.getfixturevalue("zstd")
    (problem,) = laptop.scan().problems
    assert problem.startswith(f"{path}: is damaged (")
    assert laptop.queued() == [cause(11)]


def test_a_file_made_to_fill_the_disk_is_given_up(rollout: Rollout, monkeypatch: pytest.MonkeyPatch):
    path = compress(rollout.path)
    monkeypatch.setattr(compressed, "LONGEST", 1000)
    with pytest.raises(TranscriptError, match="more than 0 GiB"):
        compressed.decompressed(path)


@pytest.mark.parametrize("tool", ["package", "program"])
def test_a_missing_file_is_an_os_error(tmp_path: Path, tool: str, request: pytest.FixtureRequest):
    if tool == "program":
        request.getfixturevalue("zstd")
    with pytest.raises(FileNotFoundError):
        compressed.decompressed(tmp_path / "gone.jsonl.zst")
