"""The endpoint that streams data; who may open it is in tests/test_every_door.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.test import Client

from ghap.intake import receive
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body

Api = Callable[[User | None], Client]


def lines(answer: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.getvalue().splitlines()]


def test_answer_is_json_lines_of_the_user_or_of_a_project(
    api: Api, alice: User, bob: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [body()])
    mine, of_bob, of_project = (
        api(user).get("/api/v1/export", params)
        for user, params in ((alice, {}), (bob, {}), (bob, {"project": "GitHub.com/crew/shop"}))
    )

    assert mine["Content-Type"] == "application/x-ndjson"
    entries = [
        [line for line in lines(answer) if line.get("kind") == "ghap.entry"] for answer in (mine, of_bob, of_project)
    ]
    assert [len(found) for found in entries] == [1, 0, 1]
    assert entries[2][0]["author"] == "alice"


def test_rows_are_taken_in_as_the_users_own_with_a_result_each(api: Api, alice: User, charlie: User) -> None:
    row = {"kind": "ghap.entry", "project": "github.com/crew/shop", "author": "alice", "data": body()}
    request = {"header": {"format": "memoryserver-data", "version": 1}, "rows": [row, {"kind": "x"}, row]}
    answers = [api(charlie).post("/api/v1/import", request, content_type="application/json") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    statuses = [[result["status"] for result in answer.json()["results"]] for answer in answers]
    assert statuses == [["stored", "refused", "unchanged"], ["unchanged", "refused", "unchanged"]]
    assert answers[0].json()["results"][1]["reason"] == "unknown kind 'x'"


def test_header_of_another_format_is_refused(api: Api, alice: User) -> None:
    answer = api(alice).post("/api/v1/import", {"header": {}, "rows": []}, content_type="application/json")

    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
