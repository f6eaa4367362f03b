"""One run over all channels and what it leaves for the next; commands/test_sync.py has what a person sees of it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from memorycli.delivery import connection, manual_learnings, observations, scope, sync
from memorycli.delivery.channels import CHANNELS
from memorycli.delivery.fetches import FETCHES
from memoryserver.client import sync_state
from memoryserver.client.http import Client
from memoryserver.common import files
from tests.ghap.local.test_sync import fill
from tests.support.fakes.api_server import HttpServer


@pytest.fixture
def journal() -> Path:
    return scope.of_project().journals[0].folder


def test_every_channel_is_sent_before_anything_is_fetched(client: Client) -> None:
    sent = sync.send(client, scope.of_project())

    assert list(sent.reports) == [*CHANNELS, *FETCHES]
    assert (sent.problems, sent.incomplete()) == ([], [])


def test_success_is_saved_for_the_server(client: Client) -> None:
    sync_state.fail(client.url, "before")

    sync.send(client, scope.of_project())

    state = sync_state.load(client.url)
    assert (state.error, state.failures, state.succeeded > 0) == ("", 0, True)


def test_run_ends_at_the_first_channel_that_cannot_reach_the_server(
    server: HttpServer, client: Client, journal: Path
) -> None:
    fill(journal, 0, 1)
    observations.save(type="t", source="a:b", message="waits")
    server.answer = lambda *_: (503, {"detail": "later"})

    sent = sync.send(client, scope.of_project())

    assert list(sent.reports) == ["journal"]
    assert len(server.requests) == 1
    assert sync_state.load(client.url).error.startswith("journal: offline")


def test_refused_token_ends_the_run_with_one_problem(server: HttpServer, journal: Path) -> None:
    fill(journal, 0, 1)
    client = connection.client(server.url, "old")

    sent = sync.send(client, scope.of_project())

    assert sent.reports == {}
    assert sent.problems == [f"journal: {server.url} refused the token (401); run: memory login {server.url}"]
    assert sync_state.load(client.url).error == sent.problems[0]


def test_refused_item_is_incomplete_and_the_other_channels_are_sent(
    server: HttpServer, client: Client, journal: Path
) -> None:
    (bad,) = fill(journal, 0, 1)
    manual_learnings.save({"content": "x"})

    def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
        if path == "/api/v1/ghap/entries":
            return 200, {"results": [{"id": bad, "status": "refused", "reason": "no goal"}]}
        return (200, {"id": "1"}) if path == "/api/v1/learnings" else (404, {"detail": "Not Found"})

    server.answer = answer

    sent = sync.send(client, scope.of_project())

    assert [line.partition(":")[0] for line in sent.incomplete()] == ["journal"]
    assert sent.reports["learnings by hand"].line == "1 sent"
    assert sync_state.load(client.url).failures == 1


def test_background_waits_after_a_failed_run(server: HttpServer, client: Client, journal: Path) -> None:
    fill(journal, 0, 1)
    server.answer = lambda *_: (503, {"detail": "later"})

    sync.send(client, scope.of_project())

    assert not sync_state.load(client.url).is_due(time.time())


def test_lock_of_a_run_is_in_a_home_folder_that_it_creates(home: Path) -> None:
    first = files.try_lock(sync.lock_path())

    assert first is not None
    assert files.try_lock(sync.lock_path()) is None
    assert sync.lock_path().parent == home
    os.close(first)
