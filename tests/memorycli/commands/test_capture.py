"""`memory capture` as a person uses it at a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from capture.local.queue import files as queue
from capture.local.queue.files import QUEUE_FOLDER
from memorycli.main import main
from tests.capture.local.queue.test_sink import Server, server  # noqa: F401 - a fixture
from tests.support.agents.claude_transcripts import Transcript

CAUSE = "The root cause was that `parse()` drops the zone."


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A laptop without transcripts and server."""
    home = tmp_path / "memory"
    monkeypatch.setenv("MEMORYSERVER_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    for name in ("CLAUDE_CONFIG_DIR", "MEMORYSERVER_URL", "MEMORYSERVER_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    transcript = Transcript(tmp_path / "projects" / "-slug" / "s.jsonl")
    transcript.agent(CAUSE)
    return transcript


@pytest.fixture
def online(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:  # noqa: F811
    monkeypatch.setenv("MEMORYSERVER_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("MEMORYSERVER_TOKEN", "secret")
    return server


def scan(transcript: Transcript, *options: str) -> int:
    return main(["capture", "scan", "--root", str(transcript.path.parent), *options])


def confirm(server: Server, home: Path) -> None:  # noqa: F811
    """Have the server confirm the one file in the queue."""
    (path,) = queue.waiting(home / QUEUE_FOLDER)
    capture_id = json.loads(path.read_bytes())["capture_id"]
    server.answer = json.dumps({"capture_id": capture_id, "stored": 1, "known": 0, "duplicate": False}).encode()


def out(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.strip()


def test_scan_is_logged_to_a_private_file(transcript: Transcript, home: Path):
    scan(transcript)
    log = home / "logs" / "continuous_capture.log"
    (line,) = log.read_text().splitlines()
    assert line.endswith(f"{transcript.path}: learnings queued in {queue.waiting(home / QUEUE_FOLDER)[0].name}: 1")
    assert log.stat().st_mode & 0o777 == 0o600


def test_scan_continues_if_the_log_cannot_be_written(
    transcript: Transcript, home: Path, capsys: pytest.CaptureFixture[str]
):
    home.mkdir()
    (home / "logs").write_text("a file in place of the folder")
    assert scan(transcript, "--json") == 0
    printed = capsys.readouterr()
    assert printed.err.startswith("memory: the log cannot be written: ")
    assert json.loads(printed.out)["learnings"] == 1


def test_process_delivers_and_empties_the_queue(
    transcript: Transcript, online: Server, home: Path, capsys: pytest.CaptureFixture[str]
):
    scan(transcript)
    confirm(online, home)
    out(capsys)
    assert main(["capture", "process"]) == 0
    assert out(capsys) == "1 queue file delivered, 1 new learning, 0 known."
    assert queue.waiting(home / QUEUE_FOLDER) == []
    assert [learning["content"] for learning in online.asked[0][2]["learnings"]] == [CAUSE]


def test_process_without_a_login_names_the_command_and_keeps_every_file(
    transcript: Transcript, home: Path, capsys: pytest.CaptureFixture[str]
):
    scan(transcript)
    assert main(["capture", "process"]) == 1
    assert capsys.readouterr().err == "memory: not logged in; run: memory login URL\n"
    assert len(queue.waiting(home / QUEUE_FOLDER)) == 1


def test_process_while_the_server_is_down_keeps_every_file_and_retries_later_or_now(
    transcript: Transcript, online: Server, home: Path, capsys: pytest.CaptureFixture[str]
):
    scan(transcript)
    online.status = 503
    assert main(["capture", "process"]) == 1
    printed = capsys.readouterr()
    assert printed.out.strip().endswith("0 queue files delivered, 0 new learnings, 0 known; 1 waiting.")
    assert "nothing is lost" in printed.err
    assert main(["capture", "process", "--json"]) == 0  # not due yet
    assert json.loads(out(capsys))["waiting"] == 1
    online.status = 200
    confirm(online, home)
    assert main(["capture", "process", "--now"]) == 0
    assert len(online.asked) == 2


def test_refused_file_is_listed_with_its_reason_and_can_be_put_back(
    transcript: Transcript, online: Server, home: Path, capsys: pytest.CaptureFixture[str]
):
    scan(transcript)
    online.status, online.answer = 422, b'{"detail": "type: must be one of"}'
    assert main(["capture", "process"]) == 1
    printed = capsys.readouterr()
    assert printed.out.endswith("; 1 failed (see: memory capture failed).\n")
    assert printed.err == "memory: the server refused 1 queue file for good; `memory capture failed` shows why\n"
    ((path, reason),) = queue.failed(home / QUEUE_FOLDER)
    assert main(["capture", "status"]) == 0
    assert f"failed     {path.name}: {reason}" in out(capsys).replace("\n" + " " * 11, " ")
    assert main(["capture", "failed"]) == 0
    assert out(capsys) == f"{path.name}: {reason}"
    assert main(["capture", "failed", "--json"]) == 0
    assert json.loads(out(capsys)) == [{"name": path.name, "reason": reason}]
    assert main(["capture", "retry", "nonsense"]) == 1
    assert main(["capture", "retry", path.name]) == 0
    assert [waiting.name for waiting in queue.waiting(home / QUEUE_FOLDER)] == [path.name]
    assert main(["capture", "retry", "--json"]) == 0
    assert json.loads(out(capsys).split("\n")[-1]) == {"put_back": []}
    assert main(["capture", "failed"]) == 0
    assert out(capsys) == "No queue file has failed."


def test_status_of_a_new_laptop(home: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["capture", "status"]) == 0
    assert out(capsys).split("\n") == [
        "daemon     not running; start it with `memory capture install`",
        "captured   0 transcripts, 0 messages, 0 compactions",
        "last       never",
        "queue      0 files, 0.0 KiB",
        f"log        {home / 'logs' / 'continuous_capture.log'}",
    ]


def test_status_as_json_after_a_scan_and_a_failed_delivery(
    transcript: Transcript, online: Server, home: Path, capsys: pytest.CaptureFixture[str]
):
    transcript.boundary()
    scan(transcript)
    online.status = 500
    main(["capture", "process"])
    out(capsys)
    assert main(["capture", "status", "--json"]) == 0
    status: dict[str, Any] = json.loads(out(capsys))
    (path,) = queue.waiting(home / QUEUE_FOLDER)
    (retry,) = status.pop("retries")
    assert (retry["name"], retry["attempts"], retry["in_seconds"] <= 5) == (path.name, 1, True)
    assert status == {
        "daemon": None,
        "contexts": 1,
        "messages": 2,
        "compactions": 1,
        "last_capture": status["last_capture"],
        "queue_files": 1,
        "queue_bytes": path.stat().st_size,
        "last_error": "",
        "failed": [],
        "log": str(home / "logs" / "continuous_capture.log"),
    }


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["scan", "--root"], ["process", "--nonsense"]])
def test_wrong_usage_is_2(arguments: list[str]):
    with pytest.raises(SystemExit) as error:
        main(["capture", *arguments])
    assert error.value.code == 2


def test_as_a_whole_process_a_scan_of_a_read_only_home_fails_in_one_line(transcript: Transcript, home: Path):
    home.write_text("a file in place of the folder")
    command = [sys.executable, "-m", "memorycli", "capture", "scan", "--root", str(transcript.path.parent)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert completed.returncode == 1
    assert "Traceback" not in completed.stderr
    assert completed.stderr.strip().split("\n")[-1].startswith("memory: ")
