"""A cycle of capture: what it writes, where it comes from, what it survives."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from capture.local.queue.files import QUEUE_FOLDER, QueueFullError, QueueWriter
from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.scanner import LOCK_FILE, Scanner, scan
from capture.local.scanning.state import STATE_FOLDER, CaptureState
from memoryserver.common import files
from tests.support.agents.claude_transcripts import SESSION, Transcript
from tests.support.laptops.capture_laptop import TEN, Laptop, cause


def test_full_capture_cycle(laptop: Laptop):
    laptop.transcript.person("always run the linter before you commit", gitBranch="topic")
    laptop.transcript.ran("c1", "make lint", "ok")
    laptop.transcript.agent(cause(1), gitBranch="topic")
    report = laptop.scan()
    assert (report.transcripts, report.changed, report.messages, report.learnings) == (1, 1, 4, 2)
    (file,) = laptop.files()
    context = f"claude-code-{SESSION}"
    assert (file["context_id"], file["message_range"], file["compaction_number"]) == (context, [1, 4], 0)
    assert file["metadata"] == {
        "agent": "main",
        "agent_kind": "claude-code",
        "session_id": SESSION,
        "project": "shop",
        "cwd": "/nowhere/shop",
        "branch": "topic",
        "transcript": str(laptop.transcript.path),
        "tools_used": ["Bash"],
        "redacted": {},
    }
    assert [(learning["type"], learning["source_message_index"]) for learning in file["learnings"]] == [
        ("preference", 1),
        ("solution", 4),
    ]
    state = laptop.state()
    assert (state.last_message_index, state.last_message_count, state.compaction_count) == (4, 4, 0)
    assert state.last_capture_timestamp == file["captured_at"]


def test_second_scan_writes_nothing(captured: Laptop):
    def everything() -> dict[str, tuple[int, int]]:
        paths = [path for path in captured.home.rglob("*") if path.is_file()]
        return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in paths if path.name != LOCK_FILE}

    before = everything()
    assert captured.scan() == ScanReport(transcripts=1)
    assert everything() == before


def test_only_appended_messages_are_read(captured: Laptop):
    captured.transcript.agent(cause(11))
    report = captured.scan()
    assert (report.messages, captured.queued()) == (1, [*TEN, cause(11)])
    assert captured.files()[-1]["message_range"] == [11, 11]


def test_sub_agents_have_their_own_queue_files_and_their_prompts_yield_nothing(laptop: Laptop):
    laptop.transcript.agent(cause(1))
    path = laptop.transcript.path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    sub = Transcript(path)
    path.with_suffix(".meta.json").write_text('{"agentType":"reviewer"}')
    sub.person("always use tabs in every file you write", isSidechain=True, agentId="a1")
    sub.agent(cause(2), isSidechain=True, agentId="a1")
    laptop.scan()
    contents = {file["metadata"]["agent"]: file["learnings"][0]["content"] for file in laptop.files()}
    assert contents == {"main": cause(1), "reviewer": cause(2)}


def test_a_learning_keeps_the_project_of_the_repository_its_folder_lay_in(laptop: Laptop, tmp_path: Path):
    repository = tmp_path / "shop"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "config").write_text('[remote "origin"]\n\turl = git@github.com:acme/shop.git\n')
    for number, folder in enumerate([repository, repository / "src", repository / "gone" / "worktree"], 1):
        Transcript(laptop.root / f"{number}.jsonl", cwd=str(folder)).agent(cause(number))
    Transcript(laptop.root / "4.jsonl", cwd="C:\\work\\site").agent(cause(4))
    Transcript(laptop.root / "5.jsonl", cwd="/").agent(cause(5))
    laptop.scan()
    assert [file["metadata"]["project"] for file in laptop.files()][:4] == ["github.com/acme/shop"] * 3 + ["site"]


def test_the_environments_project_is_not_put_on_transcripts_of_others(laptop: Laptop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "mine")
    laptop.transcript.agent(cause(1))
    laptop.scan()
    assert laptop.files()[0]["metadata"]["project"] == "shop"


def test_secrets_are_redacted_before_anything_is_written_and_counted(laptop: Laptop):
    token = "xoxb-" + "1234567890-abcdefGHIJ"
    laptop.transcript.agent(f"The root cause was the token {token} in `.env`.", gitBranch=f"fix-{token}")
    laptop.transcript.use("c1", "Bash", {"command": f"deploy --token {token}"})
    laptop.scan()
    written = b"".join(path.read_bytes() for path in laptop.home.rglob("*") if path.is_file())
    assert token.encode() not in written
    assert laptop.files()[0]["metadata"]["redacted"] == {"slack-token": 1}


def test_unreadable_transcript_blocks_no_other(laptop: Laptop):
    laptop.transcript.agent(cause(1))
    (laptop.root / "aaa.jsonl").mkdir()
    (laptop.root / "broken.jsonl").symlink_to(laptop.root / "missing")
    loop = laptop.root / "loop.jsonl"
    loop.symlink_to(loop)
    report = laptop.scan()
    assert laptop.queued() == [cause(1)]
    assert [problem.split(":")[0] for problem in report.problems] == [str(loop)]


def test_state_with_invalid_content_blocks_no_other(captured: Laptop):
    state = captured.state()
    state.reader = {"open_calls": [5]}
    state.fingerprint = None
    captured.states.save(state)
    Transcript(captured.root / "zzz.jsonl").agent(cause(11))
    report = captured.scan()
    assert (len(report.problems), report.learnings) == (1, 1)


def test_transcript_of_a_corrupt_state_is_read_again_and_nothing_is_queued_twice(captured: Laptop):
    (path,) = (captured.home / STATE_FOLDER).glob("*.json")
    path.write_bytes(b"{")
    report = captured.scan()
    assert (report.messages, report.known, captured.queued()) == (10, 10, TEN)


def test_a_state_of_the_plain_format_says_which_messages_were_captured(laptop: Laptop):
    for number in range(1, 4):
        laptop.transcript.agent(cause(number))
    laptop.states.save(CaptureState(f"claude-code-{SESSION}", 2, 2, "2026-01-10T12:00:00Z", 1))
    laptop.scan()
    assert laptop.queued() == [cause(3)]


def test_a_full_queue_stops_capture_and_loses_nothing(laptop: Laptop):
    for number in (1, 2):
        Transcript(laptop.root / f"{number}.jsonl").agent(cause(number))
    full = Scanner(laptop.home, writer=QueueWriter(laptop.home / QUEUE_FOLDER, limit=1200))
    with pytest.raises(QueueFullError):
        full.scan([laptop.root])
    assert laptop.queued() == [cause(1)]
    laptop.scan()
    assert laptop.queued() == [cause(1), cause(2)]


def test_mark_is_not_moved_if_the_queue_cannot_be_written(captured: Laptop):
    folder = captured.home / QUEUE_FOLDER
    moved = folder.rename(folder.with_name("moved"))
    folder.write_text("a file in place of the folder")
    captured.transcript.agent(cause(11))
    report = captured.scan()
    assert (len(report.problems), captured.state().last_message_count) == (1, 10)
    folder.unlink()
    moved.rename(folder)
    captured.scan()
    assert captured.queued() == [*TEN, cause(11)]


def test_second_scan_waits_and_then_names_the_process_of_the_first(laptop: Laptop):
    laptop.home.mkdir()
    with (
        files.lock(laptop.home / LOCK_FILE),
        pytest.raises(files.LockTimeoutError, match=r"for more than 0\.05 s by process"),
    ):
        scan(laptop.home, [laptop.root], lock_timeout=0.05)


def test_capture_needs_no_event_loop():
    script = "from capture.local import *; import sys; sys.exit('asyncio' in sys.modules or 'django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_configured_root_that_does_not_exist_is_a_problem(
    laptop: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    laptop.transcript.agent(cause(1))
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setenv("MEMORYSERVER_TRANSCRIPT_ROOTS", f"{tmp_path}/gone{os.pathsep}{laptop.root}")
    report = scan(laptop.home)
    assert (report.learnings, report.problems) == (
        1,
        [f"{tmp_path}/gone: MEMORYSERVER_TRANSCRIPT_ROOTS names a folder that does not exist"],
    )


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_full_disk_names_its_folder_once_and_nothing_is_lost(
    captured: Laptop, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    for number in (11, 12):
        Transcript(captured.root / f"-slug/{number}.jsonl").agent(cause(number))

    def fail(descriptor: int, data: object) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fail)
        scanner = Scanner(captured.home)
        scanner.scan([captured.root])

    folder = captured.home / "learning_queue"
    problem = f"{folder}: {os.strerror(code)}; free some space, nothing is lost and capture goes on then"
    assert problem in scanner.report.problems
    assert [line for line in scanner.report.problems if ".jsonl" in line] == []
    captured.scan()
    assert sorted(captured.queued()) == sorted([*TEN, cause(11), cause(12)])
