"""What a scan does with transcripts of sessions in excluded folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from capture.local.queue.files import QUEUE_FOLDER
from capture.local.queue.processor import QueueProcessor
from capture.local.queue.sink import Receipt
from capture.local.scanning import transcript_report
from capture.local.scanning.state import STATE_FOLDER
from memoryserver.client import exclusions, places
from tests.support.agents.claude_transcripts import Transcript
from tests.support.laptops.capture_laptop import Laptop, cause
from tests.support.laptops.repositories import repository, worktree


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(exclusions.VARIABLE, raising=False)
    return tmp_path / "home"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "secret")
    exclusions.save([str(folder)])
    return folder


def session(laptop: Laptop, name: str, folder: Path) -> Transcript:
    return Transcript(laptop.root / "-slug" / f"{name}.jsonl", session=name, cwd=str(folder))


def reported(laptop: Laptop) -> list[str]:
    """The projects of the transcripts of which the server is told."""
    projects: list[str] = []

    def post(_path: str, body: Any) -> object:
        projects.extend(context["project"] for context in body["contexts"])
        return {"received": len(body["contexts"])}

    transcript_report.report(laptop.home / STATE_FOLDER, post, server="s")
    return sorted(projects)


def delivered(laptop: Laptop) -> tuple[list[str], int]:
    """The learnings that a pass over the queue sends, and how many files wait for the next one."""
    sent: list[str] = []

    class Server:
        def store(self, content: dict[str, Any]) -> Receipt:
            sent.extend(learning["content"] for learning in content["learnings"])
            return Receipt(content["capture_id"], len(content["learnings"]), 0)

    return sent, QueueProcessor(laptop.home / QUEUE_FOLDER, Server()).process().waiting


def test_nothing_of_a_session_in_an_excluded_folder_is_queued_reported_or_left_in_a_state(
    laptop: Laptop, secret: Path, tmp_path: Path
) -> None:
    shop = repository(tmp_path / "shop")
    hidden, shown = session(laptop, "hidden", secret / "src"), session(laptop, "shown", shop)
    hidden.agent(cause(1))
    hidden.use("c1", "Bash", {"command": "cat mr-smith.txt"})
    shown.agent(cause(2))

    report = laptop.scan()

    assert (report.messages, report.learnings, report.folders) == (1, 1, [str(shop)])
    assert laptop.queued() == [cause(2)]
    assert reported(laptop) == ["shop"]
    states = "".join(path.read_text() for path in (laptop.home / STATE_FOLDER).glob("*.json"))
    assert ("mr-smith" in states, "root cause of #1" in states) == (False, False)


def test_sessions_of_the_time_before_the_first_scan_are_left_out_too(laptop: Laptop, secret: Path) -> None:
    old = session(laptop, "old", secret)
    for number in range(1, 40):
        old.agent(cause(number))

    assert (laptop.scan().learnings, laptop.files()) == (0, [])


def test_what_was_said_while_a_folder_was_excluded_stays_out_when_it_is_included(laptop: Laptop, secret: Path) -> None:
    hidden = session(laptop, "hidden", secret)
    hidden.agent(cause(1))
    laptop.scan()

    exclusions.save([], removed=[str(secret)])
    assert (laptop.scan().learnings, reported(laptop)) == (0, [])
    hidden.agent(cause(2))
    laptop.scan()

    assert (laptop.queued(), reported(laptop)) == ([cause(2)], ["secret"])


def test_session_keeps_its_folder_wherever_its_shell_goes(laptop: Laptop, secret: Path, tmp_path: Path) -> None:
    hidden, shown = session(laptop, "hidden", secret), session(laptop, "shown", tmp_path / "shop")
    hidden.agent(cause(1))
    hidden.agent(cause(2), cwd=str(tmp_path / "shop"))
    shown.agent(cause(3))
    shown.agent(cause(4), cwd=str(secret / "src"))
    shown.agent(cause(5))

    laptop.scan()

    assert laptop.queued() == [cause(3), cause(5)]


@pytest.mark.parametrize("is_seen", [True, False], ids=["seen before", "never seen"])
def test_session_in_a_worktree_that_is_gone_is_one_of_its_repository(
    is_seen: bool, laptop: Laptop, secret: Path, tmp_path: Path
) -> None:
    tree = worktree(secret, tmp_path / "trees" / "fix")
    if is_seen:
        places.record(places.of(tree))
        tree.rename(tmp_path / "renamed")
    else:
        tree = worktree(secret, tmp_path / "secret-fix")
        shutil.rmtree(tree)
    session(laptop, "hidden", tree).agent(cause(1))

    laptop.scan()

    assert (laptop.queued(), reported(laptop)) == ([], [])


def test_codex_session_in_an_excluded_folder_is_left_out(
    laptop: Laptop, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollout = laptop.root / "sessions/2026/03/01/rollout-2026-03-01T10-00-00-0195.jsonl"
    rollout.parent.mkdir(parents=True)
    for name, folder in (("a", secret), ("b", tmp_path / "shop")):
        meta = {"type": "session_meta", "payload": {"id": name, "cwd": str(folder)}}
        said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": cause(1)}]}
        lines = [meta, {"type": "response_item", "payload": said}]
        time = {"timestamp": "2026-03-01T10:00:00.000Z"}
        path = rollout.with_name(f"rollout-2026-03-01T10-00-00-{name * 8}-0000-0000-0000-000000000000.jsonl")
        path.write_text("".join(json.dumps(time | line) + "\n" for line in lines))

    report = laptop.scan()

    assert (report.transcripts, report.learnings) == (2, 1)
    assert [file["metadata"]["cwd"] for file in laptop.files()] == [str(tmp_path / "shop")]


def test_queue_file_from_before_the_exclusion_is_held_and_sent_when_the_folder_is_included(
    laptop: Laptop, tmp_path: Path
) -> None:
    secret = repository(tmp_path / "secret")
    session(laptop, "before", secret).agent(cause(1))
    session(laptop, "other", tmp_path / "shop").agent(cause(2))
    laptop.scan()
    exclusions.save([str(secret)])

    assert delivered(laptop) == ([cause(2)], 0)
    assert laptop.queued() == [cause(1)]
    exclusions.save([], removed=[str(secret)])
    assert delivered(laptop) == ([cause(1)], 0)
