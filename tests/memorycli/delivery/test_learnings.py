"""The queue of captured learnings as a channel; test_channels.py has what each answer of the server means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capture.local.queue import files as queue
from capture.local.queue.files import QUEUE_FOLDER
from memorycli.delivery import learnings
from memorycli.delivery.scope import Scope
from memoryserver.client.http import Client
from tests.support.fakes.api_server import HttpServer


@pytest.fixture
def folder(home: Path) -> Path:
    """The queue, with one file in it."""
    path = home / QUEUE_FOLDER
    path.mkdir(parents=True)
    content = {"capture_id": "c1", "context_id": "x", "message_range": [0, 1], "learnings": []}
    (path / "1_x.json").write_text(json.dumps(content))
    return path


def accept(method: str, path: str, body: Any) -> tuple[int, Any]:
    return 200, {"capture_id": body["capture_id"], "stored": 2, "known": 1, "duplicate": False}


def test_pass_over_the_queue_counts_what_the_server_stored(server: HttpServer, client: Client, folder: Path) -> None:
    server.answer = accept

    done = learnings.process(client)

    assert (done.delivered, done.stored, done.known, done.waiting, done.error) == (1, 2, 1, 0, "")
    assert [path for _, path, _ in server.requests] == ["/api/v1/capture/queue-files"]
    assert queue.waiting(folder) == []


def test_empty_queue_has_nothing_new(client: Client) -> None:
    report = learnings.deliver(client, Scope())

    assert (report.has_news, report.complete) == (False, True)


def test_file_in_its_pause_is_tried_only_where_pauses_are_ignored(
    server: HttpServer, client: Client, folder: Path
) -> None:
    server.answer = lambda *_: (503, {"detail": "later"})
    assert not learnings.deliver(client, Scope()).complete
    server.answer = accept

    assert not learnings.deliver(client, Scope()).has_news
    assert len(queue.waiting(folder)) == 1
    assert learnings.deliver(client, Scope(ignore_pauses=True)).line == "1 queue file delivered"


def test_file_that_failed_is_sent_again_only_when_asked(server: HttpServer, client: Client, folder: Path) -> None:
    queue.set_aside(folder / "1_x.json", "refused")
    server.answer = accept

    assert not learnings.deliver(client, Scope()).has_news
    assert learnings.deliver(client, Scope(retry_failed=True)).line == "1 queue file delivered"
    assert queue.failed(folder) == []


def test_file_that_waits_is_counted_with_the_reason(server: HttpServer, client: Client, folder: Path) -> None:
    server.answer = lambda *_: (503, {"detail": "closed for today"})

    report = learnings.deliver(client, Scope())

    assert "closed for today" in report.line
    assert (report.complete, report.has_news, len(queue.waiting(folder))) == (False, True, 1)
