"""The reports on the contexts that were read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from capture.local.scanning import transcript_report
from capture.local.scanning.scanner import STATE_FOLDER, scan
from memoryserver.client.delivery import Report
from memoryserver.client.http import RefusedError, UnreachableError
from memoryserver.client.outbox import Outbox
from tests.support.claude_transcripts import Transcript


class Told:
    """A server that keeps what it is told; `down` for so many posts."""

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
def told() -> Told:
    return Told()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def transcript(tmp_path: Path, name: str = "one", cwd: str = "/nowhere/shop") -> Transcript:
    written = Transcript(tmp_path / f"projects/{name}.jsonl", cwd=cwd)
    written.person("Hello")
    return written


def report(home: Path, tmp_path: Path, told: Told, server: str = "http://a", **options: bool) -> int:
    """Scan and report; how many reports were accepted."""
    scan(home, [tmp_path / "projects"])
    return transcript_report.report(home / STATE_FOLDER, told.post, server=server, **options).sent


def test_context_is_told_of_once_and_again_when_it_has_grown(home: Path, tmp_path: Path, told: Told) -> None:
    written = transcript(tmp_path)
    counts = [report(home, tmp_path, told), report(home, tmp_path, told)]
    written.person("And again")
    counts.append(report(home, tmp_path, told))

    assert counts == [1, 0, 1]
    first, second = (batch[0] for batch in told.batches)
    assert (first["context_id"], first["agent_kind"], first["project"]) == ("claude-code-one", "claude-code", "shop")
    assert (first["message_count"], second["message_count"], first["compaction_count"]) == (1, 2, 0)
    assert first["last_activity"].endswith("Z")


def test_nothing_that_was_said_is_told(home: Path, tmp_path: Path, told: Told) -> None:
    transcript(tmp_path)
    report(home, tmp_path, told)

    assert sorted(told.batches[0][0]) == [
        "agent_kind",
        "compaction_count",
        "context_id",
        "last_activity",
        "message_count",
        "project",
    ]


def test_other_server_is_told_of_all(home: Path, tmp_path: Path, told: Told) -> None:
    transcript(tmp_path)

    assert [report(home, tmp_path, told, server) for server in ("http://a", "http://b", "http://b")] == [1, 1, 0]


def test_what_was_told_before_the_server_went_away_is_not_told_again(
    home: Path, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_report, "BATCH", 2)
    for number in range(5):
        transcript(tmp_path, f"n{number}")
    post = told.post

    def fails_at_second(path: str, body: Any) -> object:
        told.down = len(told.batches) == 1
        return post(path, body)

    monkeypatch.setattr(told, "post", fails_at_second)
    assert report(home, tmp_path, told) == 2
    monkeypatch.setattr(told, "post", post)

    assert report(home, tmp_path, told) == 3
    assert [len(batch) for batch in told.batches] == [2, 2, 1]


@pytest.mark.parametrize("content", ["", "[]", '{"server": "http://a", "contexts": {"x": []}}', "\x00"])
def test_corrupt_memory_of_it_tells_all_again(home: Path, tmp_path: Path, told: Told, content: str) -> None:
    transcript(tmp_path)
    report(home, tmp_path, told)
    (home / STATE_FOLDER / transcript_report.REPORTED_FILE).write_text(content)

    assert report(home, tmp_path, told) == 1


def test_transcript_that_is_gone_is_counted_without_its_project(home: Path, tmp_path: Path, told: Told) -> None:
    written = transcript(tmp_path)
    scan(home, [tmp_path / "projects"])
    written.path.unlink()
    transcript_report.report(home / STATE_FOLDER, told.post, server="http://a")

    assert [one["project"] for one in told.batches[0]] == [""]


def test_laptop_that_never_scanned_has_nothing_to_tell(home: Path, told: Told) -> None:
    assert transcript_report.report(home / STATE_FOLDER, told.post, server="http://a") == Report()


def test_refused_report_is_set_aside_and_sent_again_when_asked(home: Path, tmp_path: Path, told: Told) -> None:
    for name in ("one", "two"):
        transcript(tmp_path, name)
    scan(home, [tmp_path / "projects"])

    def refuse_one(path: str, body: Any) -> object:
        if any(context["context_id"] == "claude-code-one" for context in body["contexts"]):
            raise RefusedError("refused (422): no", 422, {})
        return told.post(path, body)

    first = transcript_report.report(home / STATE_FOLDER, refuse_one, server="http://a")
    outbox = Outbox(home, transcript_report.OUTBOX_KIND)
    assert (first.sent, first.failed) == (1, 1)
    assert [outbox.why_failed(path.stem) for path in outbox.failed()] == ["refused (422): no"]

    assert [report(home, tmp_path, told), report(home, tmp_path, told, retry_failed=True)] == [0, 1]
    assert [context["context_id"] for batch in told.batches for context in batch] == [
        "claude-code-two",
        "claude-code-one",
    ]
    assert (outbox.waiting(), outbox.failed()) == ([], [])


def test_heartbeat_of_the_daemon_is_no_transcript(home: Path, tmp_path: Path, told: Told) -> None:
    transcript(tmp_path)
    daemon = home / STATE_FOLDER / "daemon.json"
    daemon.parent.mkdir(parents=True)
    daemon.write_text('{"pid": 1}')

    assert report(home, tmp_path, told) == 1

    assert [context["context_id"] for context in told.batches[0]] == ["claude-code-one"]
    assert daemon.read_text() == '{"pid": 1}'
    assert list((home / STATE_FOLDER).glob("*.corrupt-*")) == []
