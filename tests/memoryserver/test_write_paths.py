"""No operation of the API stores a secret or a private part; operations are taken from the API itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from memoryserver.accounts.models import User
from memoryserver.api import api as server_api

TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PRIVATE = "zebra words nobody may see"
TEXT = f"We push with {TOKEN} and <private reason='client'>{PRIVATE}</private > to the main branch."
ROW = {"session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": TEXT}, "success": True, "result": TEXT}
EVENT = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "cwd": f"/w/{TOKEN}", "prompt": TEXT}
NEWS = {"type": "t.x", "source": "agent:a", "message": TEXT, "details": TEXT, "data": {TOKEN: [TEXT]}}
BODIES: dict[str, Any] = {
    "/learnings": {"type": "gotcha", "content": TEXT, "files": [TEXT], "tools": [TOKEN], "project": TOKEN},
    "/observations": {**NEWS, "scope_ids": [TOKEN]},
    "/trajectory/calls": {"session_id": TOKEN, "project": TOKEN, "calls": [{"id": "c-1", **ROW}]},
    "/hooks/claude-code": EVENT,
}


def operations() -> list[tuple[str, str]]:
    paths = server_api.get_openapi_schema()["paths"]
    return sorted(
        (method, path) for path, methods in paths.items() for method in methods if method in ("post", "put", "patch")
    )


def stored_text() -> str:
    """Return the text of every row of every table."""
    with connection.cursor() as cursor:
        rows = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT "{table}"::text FROM "{table}"')
            rows += [row[0] for row in cursor.fetchall()]
    return "\n".join(rows)


@pytest.mark.parametrize(("method", "path"), operations(), ids=str)
def test_no_operation_stores_or_repeats_a_secret(
    method: str, path: str, alice: User, api: Callable[[User | None], Client]
) -> None:
    body = BODIES.get(path.removeprefix("/api/v1"), {"content": TEXT, "entries": [{"goal": TEXT}], TOKEN: TEXT})
    answer = getattr(api(alice), method)(path.replace("{key}", "1"), json.dumps(body), content_type="application/json")
    written = stored_text() + answer.content.decode()
    assert (TOKEN in written, PRIVATE in written) == (False, False)


@pytest.mark.parametrize("path", sorted(BODIES))
def test_what_is_left_of_the_body_is_stored(path: str, alice: User, api: Callable[[User | None], Client]) -> None:
    answer = api(alice).post(f"/api/v1{path}", json.dumps(BODIES[path]), content_type="application/json")
    assert (answer.status_code, "[redacted:github-token]" in stored_text()) == (
        201 if path == "/learnings" else 200,
        True,
    )
