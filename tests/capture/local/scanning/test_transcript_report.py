"""The reports on which transcripts were read."""

from __future__ import annotations

import json
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from capture.local.scanning import transcript_report
from capture.local.scanning.scanner import scan
from capture.local.scanning.state import STATE_FOLDER
from memoryserver.client import ended_sessions
from memoryserver.client.delivery import Report
from memoryserver.client.http import RefusedError, UnreachableError
from memoryserver.client.outbox import Outbox
from memoryserver.common import clock
from tests.support.agents.claude_transcripts import Transcript


class Server:
    """A server that records the reports; it is unreachable for the next `down` posts."""

    def __init__(self) -> None:
        self.batches: list[list[dict[str, Any]]] = []
        self.down = 0

    def post(self, path: str, body: Any) -> object:
        assert path == "/capture/contexts"
        if self.down:
            self.down -= 1
            raise UnreachableError("down")
        self.batches.append(body["contexts"])
        return {"received": len(body["contexts"]), "changed": 0}


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def transcript(tmp_path: Path, name: str = "one", cwd: str = "/nowhere/shop") -> Transcript:
    written = Transcript(tmp_path / f"projects/{name}.jsonl", cwd=cwd)
    written.person("Hello")
    return written


def report(home: Path, tmp_path: Path, server: Server, url: str = "http://a", **options: bool) -> int:
    """Scan and report; return how many reports were accepted."""
    scan(home, [tmp_path / "projects"])
    return transcript_report.report(home / STATE_FOLDER, server.post, server=url, **options).sent


def test_transcript_is_reported_once_and_again_when_it_has_grown(home: Path, tmp_path: Path, server: Server) -> None:
    written = transcript(tmp_path)
    counts = [report(home, tmp_path, server), report(home, tmp_path, server)]
    written.person("And again")
    counts.append(report(home, tmp_path, server))

    assert counts == [1, 0, 1]
    first, second = (batch[0] for batch in server.batches)
    assert (first["context_id"], first["agent_kind"], first["project"]) == ("claude-code-one", "claude-code", "shop")
    assert (first["message_count"], second["message_count"], first["compaction_count"]) == (1, 2, 0)
    assert first["last_activity"].endswith("Z")


def ends(server: Server) -> list[str | None]:
    return [context["ended"] for batch in server.batches for context in batch]


def age(home: Path, name: str, seconds: float) -> None:
    """Make the transcript and its state as old as that."""
    then = time.time() - seconds
    os.utime(home.parent / f"projects/{name}.jsonl", (then, then))
    scan(home, [home.parent / "projects"])
    os.utime(home / STATE_FOLDER / f"claude-code-{name}.json", (then, then))


def test_session_that_an_agents_hook_ended_is_reported_once_more_with_its_end(
    home: Path, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(home))
    transcript(tmp_path)
    transcript(tmp_path, "two")
    counts = [report(home, tmp_path, server)]
    before = clock.to_text(clock.now() - timedelta(seconds=1))  # clocks of files are coarse
    ended_sessions.record("one")
    counts += [report(home, tmp_path, server) for _ in range(2)]

    assert counts == [2, 1, 0]
    assert ends(server)[:2] == [None, None]
    assert before <= str(ends(server)[2]) <= clock.to_text(clock.now())


def test_session_that_goes_on_after_its_end_is_reported_as_running(
    home: Path, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(home))
    written = transcript(tmp_path)
    ended_sessions.record("one")
    for path in (home / "ended_sessions").iterdir():
        os.utime(path, (time.time() - 300,) * 2)
    counts = [report(home, tmp_path, server), report(home, tmp_path, server)]
    ended_sessions.record("one")
    counts.append(report(home, tmp_path, server))
    written.person("One more thing")
    for path in (home / "ended_sessions").iterdir():
        os.utime(path, (time.time() - 300,) * 2)
    counts.append(report(home, tmp_path, server))

    assert counts == [1, 0, 1, 1]
    assert [end is None for end in ends(server)] == [True, False, True]


def test_silent_session_is_reported_as_ended_when_it_was_last_written_to(
    home: Path, tmp_path: Path, server: Server
) -> None:
    transcript(tmp_path)
    counts = [report(home, tmp_path, server)]
    age(home, "one", 29 * 60)
    counts.append(report(home, tmp_path, server))
    age(home, "one", 31 * 60)
    counts += [report(home, tmp_path, server) for _ in range(2)]

    assert counts == [1, 1, 1, 0]
    assert [end is None for end in ends(server)] == [True, True, False]
    last = server.batches[-1][0]
    assert last["ended"] == last["last_activity"]


def test_marks_of_earlier_versions_are_read(home: Path, tmp_path: Path, server: Server) -> None:
    transcript(tmp_path)
    report(home, tmp_path, server)
    path = home / STATE_FOLDER / transcript_report.REPORTED_FILE
    content = json.loads(path.read_bytes())
    content["contexts"] = {name: mark[:2] for name, mark in content["contexts"].items()}
    path.write_text(json.dumps(content))

    assert report(home, tmp_path, server) == 0


def test_report_contains_no_text_of_the_transcript(home: Path, tmp_path: Path, server: Server) -> None:
    transcript(tmp_path)
    report(home, tmp_path, server)

    assert sorted(server.batches[0][0]) == [
        "agent_kind",
        "compaction_count",
        "context_id",
        "ended",
        "last_activity",
        "message_count",
        "project",
    ]


def test_all_transcripts_are_reported_to_another_server(home: Path, tmp_path: Path, server: Server) -> None:
    transcript(tmp_path)

    assert [report(home, tmp_path, server, url) for url in ("http://a", "http://b", "http://b")] == [1, 1, 0]


def test_accepted_reports_are_not_repeated_after_a_failure(
    home: Path, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_report, "BATCH", 2)
    for number in range(5):
        transcript(tmp_path, f"n{number}")
    post = server.post

    def fails_at_second(path: str, body: Any) -> object:
        server.down = len(server.batches) == 1
        return post(path, body)

    monkeypatch.setattr(server, "post", fails_at_second)
    assert report(home, tmp_path, server) == 2
    monkeypatch.setattr(server, "post", post)

    assert report(home, tmp_path, server) == 3
    assert [len(batch) for batch in server.batches] == [2, 2, 1]


@pytest.mark.parametrize("content", ["", "[]", '{"server": "http://a", "contexts": {"x": []}}', "\x00"])
def test_all_transcripts_are_reported_again_after_a_corrupt_record(
    home: Path, tmp_path: Path, server: Server, content: str
) -> None:
    transcript(tmp_path)
    report(home, tmp_path, server)
    (home / STATE_FOLDER / transcript_report.REPORTED_FILE).write_text(content)

    assert report(home, tmp_path, server) == 1


def test_missing_transcript_is_reported_in_the_project_of_its_session(
    home: Path, tmp_path: Path, server: Server
) -> None:
    written = transcript(tmp_path)
    scan(home, [tmp_path / "projects"])
    written.path.unlink()
    transcript_report.report(home / STATE_FOLDER, server.post, server="http://a")

    assert [content["project"] for content in server.batches[0]] == ["shop"]


def test_laptop_without_scans_reports_nothing(home: Path, server: Server) -> None:
    assert transcript_report.report(home / STATE_FOLDER, server.post, server="http://a") == Report()


def test_refused_report_is_set_aside_and_sent_again_when_asked(home: Path, tmp_path: Path, server: Server) -> None:
    for name in ("one", "two"):
        transcript(tmp_path, name)
    scan(home, [tmp_path / "projects"])

    def refuse_one(path: str, body: Any) -> object:
        if any(context["context_id"] == "claude-code-one" for context in body["contexts"]):
            raise RefusedError("refused (422): no", 422, {})
        return server.post(path, body)

    first = transcript_report.report(home / STATE_FOLDER, refuse_one, server="http://a")
    outbox = Outbox(home, transcript_report.OUTBOX_KIND)
    assert (first.sent, first.failed) == (1, 1)
    assert [outbox.why_failed(path.stem) for path in outbox.failed()] == ["refused (422): no"]

    assert [report(home, tmp_path, server), report(home, tmp_path, server, retry_failed=True)] == [0, 1]
    assert [context["context_id"] for batch in server.batches for context in batch] == [
        "claude-code-two",
        "claude-code-one",
    ]
    assert (outbox.waiting(), outbox.failed()) == ([], [])


def test_heartbeat_of_the_daemon_is_no_transcript(home: Path, tmp_path: Path, server: Server) -> None:
    transcript(tmp_path)
    daemon = home / STATE_FOLDER / "daemon.json"
    daemon.parent.mkdir(parents=True)
    daemon.write_text('{"pid": 1}')

    assert report(home, tmp_path, server) == 1

    assert [context["context_id"] for context in server.batches[0]] == ["claude-code-one"]
    assert daemon.read_text() == '{"pid": 1}'
    assert list((home / STATE_FOLDER).glob("*.corrupt-*")) == []
