"""The quota of what waits, as `memory sync` enforces it."""

from __future__ import annotations

import json
import os

from memorycli.delivery import connection, quota
from memorycli.delivery.observations import OUTBOX_KIND, save
from memoryserver.client import discarded
from memoryserver.client.outbox import Outbox
from tests.support.fakes.api_server import HttpServer
from tests.support.laptops.laptop import Laptop


def test_laptop_without_a_server_is_silent_and_keeps_its_quota(memory: Laptop) -> None:
    for _ in range(3):
        save(type="t", source="a:b", message="x" * 400_000)

    said = memory("-c", "outbox_mb=1", "sync", "--background")

    assert (said.status, said.out, said.err) == (0, "", "")
    assert len(Outbox(memory.home, OUTBOX_KIND).waiting()) == 2
    assert discarded.load().observations == 1


def test_tool_calls_go_first_and_journal_and_learnings_never(memory: Laptop, server: HttpServer, entry: str) -> None:
    server.answer = lambda *_: (503, {"detail": "later"})
    for number in range(40):
        call = {"tool_name": "Read", "tool_input": {"n": number}, "result": "x" * 20_000, "session_id": "s"}
        assert memory("trajectory", "record", stdin=json.dumps(call).encode()).status == 0
    save(type="t", source="a:b", message="kept")
    queue = memory.home / "learning_queue"
    queue.mkdir()
    (queue / "1_x.json").write_text("x" * 1_990_000)
    before = quota.used()
    assert before["tool_calls"] > 10_000

    memory("-c", "outbox_mb=2", "sync", "--background")

    after = quota.used()
    assert sum(after.values()) <= quota.limit() + 1000
    assert after["tool_calls"] < before["tool_calls"]
    assert (after["learnings"], len(Outbox(memory.home, OUTBOX_KIND).waiting())) == (before["learnings"], 1)
    assert discarded.load().tool_calls > 0
    server.answer = None
    memory("sync")
    assert list(server.entries.stored) == [entry]


def test_what_was_discarded_is_reported(memory: Laptop, server: HttpServer) -> None:
    connection.store(server.url, server.token)
    for _ in range(3):
        save(type="t", source="a:b", message="x" * 400_000)

    said = memory("-c", "outbox_mb=1", "sync")

    assert "outbox: above its quota of 1 MB; discarded in all: 0 tool calls and 1 observation" in said.out


def test_outbox_within_its_quota_loses_nothing(memory: Laptop) -> None:
    save(type="t", source="a:b", message="x")
    memory("sync", "--background")

    assert len(os.listdir(memory.home / "outbox" / OUTBOX_KIND)) == 1
    assert not discarded.load()
