"""`memory export` against the server itself, over HTTP."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from capture import sink
from capture.deliveries import IncomingLearning
from memorycli.delivery import connection
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.client import http
from tests.support.laptops.laptop import Laptop
from tests.support.rows.factories import ProjectFactory, UserFactory


@pytest.fixture
def alice(live_server: LiveServer, transactional_db: None, memory: Laptop) -> User:
    """Logged in on the laptop, with two learnings, of which one is in a project."""
    alice = UserFactory(username="alice")
    connection.store(live_server.url, tokens.issue(alice, "laptop")[1])
    project = ProjectFactory(owner=alice, key="github.com/crew/shop")
    for number, place in enumerate((project, None)):
        sink.store_by_hand(alice, place, IncomingLearning("gotcha", f"Number {number} needs rain.", 1.0, 0))
    return alice


def contents(lines: str) -> list[str]:
    rows = [json.loads(line) for line in lines.splitlines()]
    return [row["data"]["content"] for row in rows if row.get("kind") == "capture.learning"]


def test_everything_is_printed_or_a_project_alone(memory: Laptop, alice: User) -> None:
    everything, of_project = memory("export"), memory("export", "--project", "GitHub.com/crew/shop")

    assert (everything.status, of_project.status) == (0, 0)
    assert contents(everything.out) == ["Number 0 needs rain.", "Number 1 needs rain."]
    assert contents(of_project.out) == ["Number 0 needs rain."]


def test_file_is_whole_and_its_owners_alone(
    memory: Laptop, alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "_MAX_ANSWER_BYTES", 10)
    monkeypatch.setattr(http, "_PART_BYTES", 7)
    path = tmp_path / "mine.jsonl"
    said = memory("export", "--output", str(path))

    assert (said.status, said.out, said.err) == (0, "", "")
    assert len(contents(path.read_text())) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_export_that_fails_leaves_no_file_and_says_why(memory: Laptop, alice: User, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    unknown = memory("export", "--project", "github.com/crew/none", "--output", str(path))
    nowhere = memory("export", "--output", str(tmp_path / "none" / "mine.jsonl"))

    said = "memory: you see no project 'github.com/crew/none'; memory projects lists yours\n"
    assert (unknown.status, unknown.err) == (1, said)
    said = f"memory: {tmp_path / 'none' / 'mine.jsonl'} cannot be written: No such file or directory\n"
    assert (nowhere.status, nowhere.err) == (1, said)
    assert [file.name for file in tmp_path.iterdir() if "mine" in file.name] == []
