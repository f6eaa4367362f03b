"""Each operation of the API that receives data, raced with itself: the same body from several clients at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from django.apps import apps
from django.db import connections
from django.test import Client

from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.api import api as server_api
from tests.support.rows.ghap_entries import body, falsified

pytestmark = pytest.mark.django_db(transaction=True)

CLIENTS = 4
ROUNDS = 3
PROJECT = "github.com/acme/raced"
CALL = {"session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": "ls"}, "success": True, "result": "a"}
CONTEXT = {"context_id": "c-1", "project": PROJECT, "message_count": 3, "last_activity": "2026-11-20T14:30:22Z"}


def uuid(number: int) -> str:
    return f"01943c5e-0000-7000-8000-{number:012}"


def ghap_id(number: int) -> str:
    return f"ghap_20261120_143022_{number:06x}"


def entries(number: int) -> dict[str, Any]:
    return {"project": PROJECT, "entries": [body(id=ghap_id(number)), falsified(id=ghap_id(number + 1))]}


def queue_file(number: int) -> dict[str, Any]:
    return {
        "capture_id": uuid(number),
        "context_id": "c-1",
        "captured_at": "2026-11-20T14:30:22Z",
        "message_range": [0, 3],
        "compaction_number": number,
        "learnings": [
            {"type": "gotcha", "content": f"Lesson {item}", "confidence": 0.9, "source_message_index": item}
            for item in (number, number + 1)
        ],
        "metadata": {"project": PROJECT},
    }


BODIES: dict[str, Callable[[int], dict[str, Any]]] = {
    "/ghap/entries": entries,
    "/ghap/open-entries": lambda number: {
        "project": PROJECT,
        "open_entries": [body(id=ghap_id(number), outcome=None, confidence_tier=None)],
    },
    "/import": lambda number: {
        "header": {"format": "memoryserver-data", "version": 1},
        "rows": [
            {"kind": "ghap.entry", "project": PROJECT, "author": "alice", "data": body(id=ghap_id(number + item))}
            for item in range(2)
        ],
    },
    "/trajectory/calls": lambda number: {
        "session_id": f"s-{number}",
        "project": PROJECT,
        "calls": [{**CALL, "id": f"{number}-{item}"} for item in range(3)],
    },
    "/trajectory/ends": lambda number: {
        "ends": [{"id": uuid(number), "session_id": f"s-{number}", "ended_at": "2026-11-20T14:30:22Z"}]
    },
    "/context/deliveries": lambda number: {
        "deliveries": [
            {"id": uuid(number + item), "project": PROJECT, "delivered_at": "2026-11-20T14:30:22Z"} for item in range(2)
        ]
    },
    "/observations": lambda number: {"id": uuid(number), "type": "t.x", "source": "agent:a", "message": "m"},
    "/capture/queue-files": queue_file,
    "/capture/contexts": lambda number: {"contexts": [{**CONTEXT, "compaction_count": number}]},
    "/capture/compactions": lambda number: {
        "id": uuid(number),
        "context_id": f"c-{number}",
        "trigger": "auto",
        "happened_at": "2026-11-20T14:30:22Z",
        "project": PROJECT,
    },
    "/learnings": lambda number: {"type": "gotcha", "content": f"Lesson {number}", "project": PROJECT},
    "/hooks/claude-code": lambda number: {
        "hook_event_name": "UserPromptSubmit",
        "session_id": f"s-{number}",
        "cwd": "/w/raced",
        "prompt": "What now?",
    },
    "/laptops": lambda number: {
        "client_id": f"c-{number}",
        "name": "a laptop",
        "version": "0.1.0",
        "waiting": 0,
        "failed": 0,
        "capture_runs": True,
    },
}
"""A body by operation; each number gives another."""

NO_DATA = {
    *("/device/code", "/device/token", "/contradictions/{key}/decision", "/learnings/{key}/hide"),
    "/projects/rename",
}
"""Steps of a login, which have a race of their own in test_device, as a rename has in test_renaming, and choices about
rows that exist.
"""


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Return the results of `calls`, which begin together, each in a thread of its own."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        try:
            barrier.wait(30)
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def post(client: Client, path: str, content: dict[str, Any]) -> int:
    client.raise_request_exception = False
    return client.post(f"/api/v1{path}", json.dumps(content), content_type="application/json").status_code


def counts() -> dict[str, int]:
    """Return the number of rows by model, without the queue of jobs and the times when tokens were used."""
    labels = ("accounts", "capture", "ghap", "inquiries", "obslog", "trajectory", "vectors")
    models = [model for label in labels for model in apps.get_app_config(label).get_models() if model._meta.managed]
    return {model._meta.label: model._default_manager.count() for model in models}


def test_every_operation_that_receives_data_is_raced() -> None:
    paths = server_api.get_openapi_schema()["paths"]
    receiving = {path for path, methods in paths.items() if "requestBody" in methods.get("post", {})}
    assert {path.removeprefix("/api/v1") for path in receiving} == {*BODIES, *NO_DATA}


@pytest.mark.parametrize("path", sorted(BODIES))
def test_same_body_at_once_is_stored_once_and_gives_no_error(
    path: str, alice: User, api: Callable[[User | None], Client]
) -> None:
    clients = [api(alice) for _ in range(CLIENTS)]
    for number in range(0, 10 * ROUNDS, 10):
        content = BODIES[path](number + 1)
        statuses = at_once([partial(post, client, path, content) for client in clients])
        assert set(statuses) <= {200, 201}
        raced = counts()
        assert post(clients[0], path, content) in (200, 201)
        assert counts() == raced


def test_batches_in_opposite_orders_at_once_do_not_deadlock(alice: User, api: Callable[[User | None], Client]) -> None:
    clients = [api(alice) for _ in range(CLIENTS)]
    for number in range(ROUNDS):
        batch = [body(id=ghap_id(item), goal=f"Goal {number}") for item in range(20)]
        orders = [batch[:: 1 if item % 2 else -1] for item in range(CLIENTS)]
        statuses = at_once(
            [
                partial(post, client, "/ghap/entries", {"entries": order})
                for client, order in zip(clients, orders, strict=True)
            ]
        )
        assert statuses == [200] * CLIENTS
        assert set(Entry.objects.values_list("goal", flat=True)) == {f"Goal {number}"}
    assert Entry.objects.count() == 20
