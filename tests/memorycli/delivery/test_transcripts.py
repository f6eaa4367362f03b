from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from capture.models import CaptureState
from memorycli.delivery import connection
from memorycli.hook import events
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from tests.support.agents.claude_transcripts import Transcript
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


def line_of(memory: Laptop) -> str:
    """What a sync says of the reports; empty where nothing is new."""
    said = memory("sync").out.splitlines()
    return next((line for line in said if line.startswith("reports on transcripts: ")), "")


def test_sync_reports_contexts_once_and_waits_for_an_older_server(
    memory: Laptop, server: HttpServer, tmp_path: Path
) -> None:
    connection.store(server.url, server.token)
    Transcript(tmp_path / "projects/one.jsonl").person("Hello")
    memory("capture", "scan", "--root", str(tmp_path / "projects"))
    assert line_of(memory).startswith("reports on transcripts: nothing new, the rest waits: ")

    taken: list[Any] = []

    def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
        if path == "/api/v1/capture/contexts":
            taken.extend(body["contexts"])
            return 200, {"received": 1, "changed": 1}
        return 404, {}

    server.answer = answer
    assert [line_of(memory), line_of(memory)] == [
        "reports on transcripts: 1 sent",
        "",
    ]
    assert [context["context_id"] for context in taken] == ["claude-code-one"]


def test_session_that_an_agents_hook_ended_is_settled_on_the_server(
    memory: Laptop, live_server: LiveServer, transactional_db: None, tmp_path: Path
) -> None:
    _, token = tokens.issue(User.objects.create(username="alice"), "laptop")
    connection.store(live_server.url, token)
    written = Transcript(tmp_path / "projects/one.jsonl")
    written.person("Hello")
    memory("capture", "scan", "--root", str(tmp_path / "projects"))
    assert line_of(memory) == "reports on transcripts: 1 sent"
    before = CaptureState.objects.get()

    event = {
        "hook_event_name": "SessionEnd",
        "session_id": "one",
        "transcript_path": str(written.path),
        "reason": "other",
    }
    events.answer_to(json.dumps(event).encode())
    memory("sync")

    after = CaptureState.objects.get()
    assert before.settled_until is None
    assert after.settled_until is not None
    assert after.settled_until >= after.last_activity_at
