"""No way to write to the server stores a secret or a private part; the ways are taken from the server itself."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.sites import site
from django.core.management import call_command, get_commands, load_command_class
from django.db import connection
from django.forms import CharField
from django.http import HttpRequest
from django.test import Client, RequestFactory

from capture.deliveries import IncomingLearning
from capture.sink import store_by_hand
from memoryserver.accounts.models import ApiToken, User
from memoryserver.accounts.projects import project_for
from memoryserver.accounts.transfer import service
from memoryserver.api import api as server_api
from tests.support.requests.request_bodies import body_of
from tests.support.rows import many_rows
from tests.support.rows.ghap_entries import body, falsified

TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PRIVATE = "zebra words nobody may see"
COLOURED = f"\x1b[01;31m\x1b[Kghp_\x1b[m\x1b[K{TOKEN[4:]}"
TEXT = f"We push with {TOKEN} or {COLOURED} and <private reason='client'>{PRIVATE}</private > to the main branch."

# What only the code knows to be valid; a new endpoint needs a value here only if it checks more than its schema says.
KNOWN: dict[str, Any] = {
    "agent_id": "",
    "calls": [
        {"id": "c-1", "tool_name": f"Bash {TOKEN}", "tool_input": {"command": TEXT, TOKEN: [TEXT]}, "result": TEXT},
        {
            "id": "c-2",
            "tool_name": "Bash",
            "tool_input": {"nested": {"deep": [[TEXT]]}},
            "error": TEXT,
            "success": False,
        },
    ],
    "client_id": "0f8b1c2d",
    "created_at": None,
    "cwd": f"/w/{TOKEN}/shop",
    "entries": [
        falsified(
            goal=TEXT,
            hypothesis=COLOURED,
            action=TEXT,
            prediction=TEXT,
            surprise=TEXT,
            notes=[TEXT, COLOURED],
            check=f"curl -H 'Authorization: Bearer {TOKEN}'",
            history=[{"hypothesis": TEXT, "action": TEXT, "prediction": TEXT, "timestamp": "2026-11-20T14:30:22Z"}],
            root_cause={"category": f"wrong {TOKEN}", "description": TEXT},
            lesson={"what_worked": TEXT, "takeaway": COLOURED},
        )
    ],
    "open_entries": [body(goal=TEXT, notes=[TEXT], check=TEXT, outcome=None, confidence_tier=None)],
    "header": {"format": "memoryserver-data", "version": 1},
    "hidden": False,
    "rows": [
        {"kind": "ghap.entry", "project": f"shop {TOKEN}", "author": TEXT, "data": falsified(goal=TEXT, surprise=TEXT)},
    ],
    "scopes": ["read"],
    "hook_event_name": "UserPromptSubmit",
    "key": f"github.com/{TOKEN}/shop",
    "message_range": [0, 5],
    "source": f"agent:{TOKEN}",
    "type": "gotcha",
    "user": None,
}
HOOK = {"prompt": TEXT, "nested": {TOKEN: [COLOURED]}}
# Without a body, or with nothing in it but a choice or a code that the server itself has made.
WITHOUT_TEXT = {
    ("post", "/api/v1/contradictions/{key}/decision"),
    ("post", "/api/v1/device/token"),
    ("post", "/api/v1/learnings/{key}/hide"),
    ("post", "/api/v1/learnings/{key}/restore"),
    ("post", "/api/v1/learnings/{key}/separate"),
}
STORES_NO_TEXT = {("post", "/api/v1/trajectory/ends")}  # which stores a time; its answer repeats the ids
Operation = tuple[str, str, dict[str, Any]]


def operations() -> Iterator[Any]:
    """Yield each operation that takes texts, and each form of its body."""
    contract = server_api.get_openapi_schema()
    for path, methods in sorted(contract["paths"].items()):
        for method, operation in sorted(methods.items()):
            if "requestBody" not in operation or (method, path) in WITHOUT_TEXT:
                continue
            ((_, content),) = operation["requestBody"]["content"].items()
            for number, form in enumerate(content["schema"].get("oneOf", [content["schema"]])):
                body = body_of(form, contract["components"]["schemas"], TEXT, KNOWN)
                yield pytest.param((method, path, body), id=f"{method} {path} {number}")


def stored_text() -> str:
    """Return the text of every row of every table."""
    with connection.cursor() as cursor:
        rows = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT "{table}"::text FROM "{table}"')
            rows += [row[0] for row in cursor.fetchall()]
    return "\n".join(rows)


def assert_stored_without_secrets(answer: str = "", *, stores_text: bool = True) -> None:
    written = (stored_text() + answer).lower()
    assert (TOKEN[4:].lower() in written, PRIVATE in written) == (False, False)
    assert "[redacted:github-token]" in (stored_text() if stores_text else answer)


@pytest.fixture
def learning(alice: User) -> int:
    row, _ = store_by_hand(alice, None, IncomingLearning("gotcha", "The cache must be emptied.", 1.0, 0))
    assert row is not None
    return row.pk


def test_every_operation_that_writes_takes_a_body_that_the_test_can_make() -> None:
    paths = server_api.get_openapi_schema()["paths"]
    writing = {
        (method, path) for path, methods in paths.items() for method in methods if method in ("post", "put", "patch")
    }
    assert {param.values[0][:2] for param in operations()} | WITHOUT_TEXT == writing


@pytest.fixture
def failure(alice: User) -> int:
    (row,) = many_rows.failures(alice, 1)
    return row.pk


@pytest.mark.parametrize("operation", list(operations()))
def test_no_operation_stores_or_repeats_a_secret(
    operation: Operation, alice: User, api: Callable[[User | None], Client], learning: int, failure: int
) -> None:
    method, path, body = operation
    if path.endswith("/hooks/claude-code"):
        body = {**body, **HOOK}
    if path.endswith("/projects/rename"):
        project_for(alice, body["key"])
    if "replaces" in body:
        body = {**body, "replaces": [learning]}
    send = getattr(api(alice), method)
    answer = send(
        path.replace("{key}", str(failure if "/failures/" in path else learning)),
        json.dumps(body),
        content_type="application/json",
        headers={"Memoryserver-Project": f"shop {TOKEN}"},
    )

    assert answer.status_code in (200, 201), answer.content
    assert '"refused"' not in answer.content.decode()
    assert_stored_without_secrets(answer.content.decode(), stores_text=(method, path) not in STORES_NO_TEXT)


def own_commands() -> Iterator[tuple[str, ArgumentParser]]:
    root = apps.get_app_config("ghap").path.removesuffix("ghap")
    own = {
        config.name for config in apps.get_app_configs() if config.path.startswith(root) and ".venv" not in config.path
    }
    for name, app in get_commands().items():
        if app in own:
            yield name, load_command_class(app, name).create_parser("manage.py", name)


def test_texts_of_commands_are_known() -> None:
    """Those that name a user, a project, a file or an address are not stored; the others have their tests below."""
    of_django = {"settings", "pythonpath", "verbosity", "help", "version"}
    texts = {
        (name, action.dest)
        for name, parser in own_commands()
        for action in parser._actions
        if action.nargs != 0 and action.type is None and not action.choices and action.dest not in of_django
    }
    of_invitations = {("invite", name) for name in ("email", "team", "url")}  # an address, and names that exist
    assert texts == {
        ("export_data", "project"),
        ("export_data", "user"),
        ("import_data", "file"),
        ("import_data", "user"),
        ("create_token", "name"),
        ("create_token", "user"),
        ("seed_demo", "password"),
        ("gunicorn", "host"),
        ("up", "host"),
        ("weekly_mail", "user"),
        *of_invitations,
    }


def test_imported_data_is_redacted(alice: User) -> None:
    now = "2026-11-20T14:30:22Z"
    seen = {"first_seen": now, "last_seen": now, "source": "stated", "confidence": 1.0}
    observation = {
        "type": "note.taken",
        "source": "agent:x",
        "message": TEXT,
        "details": COLOURED,
        "data": {TOKEN: [TEXT]},
    }
    data = {
        "ghap.entry": KNOWN["entries"][0],
        "capture.learning": {"type": "gotcha", "content": TEXT, "files": [TEXT], "reasons": [TEXT], **seen},
        "trajectory.call": {"session_id": f"s {TOKEN}", "call": KNOWN["calls"][0]},
        "obslog.observation": observation | {"id": "01935f4e-0000-7000-8000-000000000001", "scope_ids": [TOKEN]},
    }
    lines: list[dict[str, Any]] = [{"format": service.FORMAT, "version": service.VERSION}]
    lines += [{"kind": kind, "project": f"shop {TOKEN}", "author": "x", "data": item} for kind, item in data.items()]
    result = service.load(map(json.dumps, lines), alice)

    assert (result.stored, result.reasons) == (4, [])
    assert_stored_without_secrets()


def test_name_of_a_token_from_the_shell_is_redacted(alice: User, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_token", "alice", name=TEXT[:100])

    assert_stored_without_secrets()
    assert ApiToken.objects.get().name.startswith("We push with [redacted:github-token]")


def superuser_request() -> HttpRequest:
    request = RequestFactory().get("/admin/")
    request.user = User(is_superuser=True, is_staff=True, is_active=True)
    return request


ADMIN_FORMS = sorted(
    f"{model._meta.app_label}/{model._meta.model_name}"
    for model, model_admin in site._registry.items()
    if model_admin.has_add_permission(superuser_request())
)


@pytest.mark.parametrize("name", ADMIN_FORMS)
def test_every_form_of_the_admin_is_redacted_before_its_view(name: str, admin_client: Client) -> None:
    fields = admin_client.get(f"/admin/{name}/add/").context["adminform"].form.fields
    form = {name: TEXT for name, field in fields.items() if isinstance(field, CharField) and "password" not in name}

    response = admin_client.post(f"/admin/{name}/add/", form)

    received = response.wsgi_request.POST.dict()
    assert received.keys() == form.keys()
    assert [value for value in received.values() if TOKEN in value or PRIVATE in value] == []
    assert (TOKEN in response.content.decode(), PRIVATE in response.content.decode()) == (False, False)
