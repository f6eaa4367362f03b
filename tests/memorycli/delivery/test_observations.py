"""Observations in the outbox and their batches; test_channels.py has their delivery."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memorycli.delivery import observations
from memoryserver.client.http import Client
from tests.support.fakes.api_server import HttpServer


def test_observation_waits_with_all_its_fields_under_the_returned_id() -> None:
    identifier = observations.save(
        type="deploy", source="ci:main", message="m", details="d", data={"n": 1}, scope_ids=("s1", "s2")
    )

    (path,) = observations.outbox().waiting()
    assert path.stem == identifier
    assert json.loads(path.read_bytes()) == {
        "id": identifier, "type": "deploy", "source": "ci:main", "message": "m", "details": "d", "data": {"n": 1},
        "scope_ids": ["s1", "s2"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "project", "about"),
    [
        (["s"], "acme/shop", ["s", "acme/shop", "session:s-1"]),
        (["acme/shop"], "acme/shop", ["acme/shop", "session:s-1"]),
        (["s"], "x" * 201, ["s", "session:s-1"]),
        ([f"s{number}" for number in range(99)], "shop", [*(f"s{number}" for number in range(99)), "shop"]),
        ([f"s{number}" for number in range(101)], "shop", [f"s{number}" for number in range(101)]),
    ],
)
def test_project_and_session_are_among_the_ids_where_there_is_room(
    given: list[str], project: str, about: list[str]
) -> None:
    observations.save(type="t", source="a:b", message="m", scope_ids=given, project=project, session="s-1")

    assert json.loads(observations.outbox().waiting()[0].read_bytes())["scope_ids"] == about


def test_fields_that_are_left_out_are_empty() -> None:
    observations.save(type="t", source="a:b", message="m")

    content = json.loads(observations.outbox().waiting()[0].read_bytes())
    assert (content["details"], content["data"], content["scope_ids"]) == (None, None, [])


def test_observations_are_sent_in_batches_in_order(server: HttpServer, client: Client) -> None:
    batches: list[list[str]] = []

    def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
        batches.append([item["id"] for item in body["observations"]])
        return 200, {"results": [{"id": item["id"], "status": "stored"} for item in body["observations"]]}

    server.answer = answer
    outbox = observations.outbox()
    ids = [f"{number:04}" for number in range(observations.BATCH + 1)]
    for identifier in ids:
        outbox.add(identifier, {"id": identifier})

    report = observations.deliver(client)

    assert (report.sent, report.complete) == (len(ids), True)
    assert batches == [ids[: observations.BATCH], ids[observations.BATCH :]]
    assert outbox.waiting() == []


def test_observation_that_was_refused_is_set_aside_alone(server: HttpServer, client: Client) -> None:
    bad, good = (observations.save(type="t", source="a:b", message=text) for text in ("bad", "good"))
    results = [{"id": bad, "status": "refused", "reason": "no such type"}, {"id": good, "status": "stored"}]
    server.answer = lambda *_: (200, {"results": results})

    report = observations.deliver(client)

    assert (report.sent, report.failed) == (1, 1)
    assert [path.stem for path in observations.outbox().failed()] == [bad]
    assert observations.outbox().why_failed(bad) == "no such type"


def test_before_reading_what_waits_is_sent_and_why_not_is_returned(server: HttpServer, client: Client) -> None:
    server.answer = lambda *_: (503, {"detail": "busy"})
    assert observations.deliver_before_reading(client) == ""

    identifier = observations.save(type="t", source="a:b", message="m")
    assert "503" in observations.deliver_before_reading(client)

    server.answer = lambda *_: (200, {"results": [{"id": identifier, "status": "stored"}]})
    assert observations.deliver_before_reading(client) == ""
    assert observations.outbox().waiting() == []


def test_before_reading_a_refused_token_is_a_reason(server: HttpServer, client: Client) -> None:
    server.answer = lambda *_: (401, {"detail": "no"})
    observations.save(type="t", source="a:b", message="m")

    assert "401" in observations.deliver_before_reading(client)
