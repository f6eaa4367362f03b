"""What is taken, and how what is none is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, Project, User
from memoryserver.common import hook_event
from memoryserver.common.protocol import CONTEXT_VERSION_HEADER
from memoryserver.hooks import handlers
from memoryserver.hooks.models import HookSession
from tests.support.agents.hook_events import ROOT, SESSION, done, event, post, stuck_run, told
from tests.support.rows.factories import ProjectFactory
from trajectory.models import ToolCall

Api = Callable[[User | None], Client]


def test_without_a_token_nothing_is_taken(api: Api, db: None) -> None:
    answer = post(api(None), event("SessionStart", source="startup"))

    assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
    assert HookSession.objects.count() == 0


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "the body is not JSON: "),
        (b'{"session_id": ', 400, "the body is not JSON: "),
        (b"\xff\xfe\x00", 400, "the body is not JSON: "),
        (b"[" * 100_000, 400, "the JSON is nested too deeply for an event"),
        (b"[]", 400, "an event is a JSON object, this is a list"),
        (b'"x"', 400, "an event is a JSON object, this is a string"),
        (b'{"hook_event_name": "Stop"}', 422, "session_id is missing: an event must name its session"),
    ],
)
def test_what_is_no_event_is_refused_with_a_sentence(
    api: Api, alice: User, body: bytes, status: int, said: str
) -> None:
    answer = post(api(alice), body)

    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert answer.json()["detail"].startswith(said)
    assert HookSession.objects.count() == 0


@pytest.mark.parametrize(
    "given", [{}, {"hook_event_name": 7}, event("Notification", message="m"), event("SomethingNew")]
)
def test_event_that_nobody_takes_is_answered_with_nothing(api: Api, alice: User, given: dict[str, Any]) -> None:
    answer = post(api(alice), given)

    assert (answer.status_code, answer.json(), HookSession.objects.count()) == (200, {}, 0)


def test_body_that_is_too_large_is_refused(api: Api, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_UPLOAD_MAX_MEMORY_SIZE", 1000)

    assert post(api(alice), done(1, "Bash", {"command": "x" * 1000}, {})).status_code == 413


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_name": None},
        {"tool_name": ["Bash"]},
        {"tool_input": "not an object", "tool_response": None},
        {"tool_input": {"command": ["a"]}, "tool_response": [[[{}]]]},
        {"session_id": 12, "cwd": 3, "agent_id": {}},
        {"session_id": "s" * 5000, "tool_use_id": "t" * 5000, "cwd": "/" + "d" * 9000},
        {"tool_response": "\ud800\0", "cwd": "/a\0b"},
        {"tool_name": "Bash", "tool_input": {"command": "\x1b[2J\u2028" * 50}},
    ],
)
def test_odd_fields_break_neither_the_agent_nor_the_server(api: Api, alice: User, fields: dict[str, Any]) -> None:
    answer = post(api(alice), done(1, "Bash", {"command": "ls"}, {"stdout": ""}) | fields)

    assert (answer.status_code, answer.json()) == (200, {})


def test_bytes_that_windows_sends_are_borne_with(api: Api, alice: User) -> None:
    given = json.dumps(done(1, "Bash", {"command": "echo X"}, {"stdout": "ok"})).encode().replace(b"X", b"\xe4")

    assert told(post(api(alice), b"\xef\xbb\xbf" + given)) == ""
    assert ToolCall.objects.get().body["params_summary"].endswith("\ufffd")


def test_handler_that_fails_costs_the_others_nothing(
    api: Api, alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(call: handlers.Call) -> str:
        call.memory["lost"] = True
        User.objects.create(username=alice.username)  # the database refuses, and so the transaction is broken
        return "never said"

    broken_one = handlers.Handler("a broken one", frozenset({hook_event.TOOL_DONE}), broken)
    monkeypatch.setattr(handlers, "_handlers", {"broken": broken_one, **handlers._handlers})

    assert told(post(api(alice), done(1, "Bash", {"command": "ls"}, {"stdout": ""}))) == ""
    assert (ToolCall.objects.count(), HookSession.objects.get().memory.get("a broken one")) == (1, None)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "an event was not handled"
    ]


@pytest.mark.parametrize(
    ("keys", "cwd", "named", "found"),
    [
        ([], "/home/dev/shop", "", "shop"),
        ([], "C:\\work\\shop", "", "shop"),
        ([], "", "", None),
        (["github.com/crew/shop"], "/home/dev/shop", "", "github.com/crew/shop"),
        (["github.com/crew/shop", "gitlab.com/other/shop"], "/home/dev/shop", "", "shop"),
        (["github.com/crew/shop", "shop"], "/home/dev/shop", "", "shop"),
        (["github.com/crew/workshop"], "/home/dev/shop", "", "shop"),
        (["github.com/crew/shop"], "/home/dev/shop/packages/api", "", "github.com/crew/shop"),
        (["github.com/crew/shop"], "/home/dev/shop/.claude/worktrees/noble-hare", "", "github.com/crew/shop"),
        (["github.com/crew/shop"], "/home/dev/Shop", "", "github.com/crew/shop"),
        (["github.com/Crew/Shop"], "/home/dev/shop", "", "github.com/crew/shop"),
        (["github.com/crew/shop", "gitlab.com/dev"], "/home/dev/else/where", "", "gitlab.com/dev"),
        (["a.org/shop", "b.org/shop", "c.org/dev"], "/home/dev/shop", "", "shop"),
        ([], "/tmp/scratch", "", None),
        ([], "/home/dev/agent-ab12cd", "", None),
        ([], "/home/dev/shop", "github.com/crew/till", "github.com/crew/till"),
    ],
)
def test_project_is_the_one_named_or_that_of_the_folder(
    api: Api, alice: User, keys: list[str], cwd: str, named: str, found: str | None
) -> None:
    for key in keys:
        ProjectFactory(owner=alice, key=key)

    headers = {"Memoryserver-Project": named} if named else {}
    post(api(alice), done(1, "Bash", {"command": "ls"}, {}) | {"cwd": cwd}, **headers)
    post(api(alice), done(2, "Bash", {"command": "ls"}, {}) | {"cwd": "/tmp"}, **headers)

    projects = [call.project.key if call.project else None for call in ToolCall.objects.order_by("pk")]
    assert projects == [found, found]


@pytest.mark.parametrize("cwd", ["/home/dev/customer2/shop", "/home/shop/notes"])
def test_folder_of_the_same_name_does_not_lead_to_a_teams_project(
    cwd: str, api: Api, alice: User, shared_project: Project
) -> None:
    post(api(alice), done(1, "Bash", {"command": "ls"}, {}) | {"cwd": cwd})

    project = ToolCall.objects.get().project
    assert project is not None
    assert (project.owner, project.team, project.key) == (alice, None, cwd.rpartition("/")[2])


def test_session_of_one_user_is_not_that_of_another(api: Api, alice: User, bob: User) -> None:
    for user in (alice, bob):
        post(api(user), done(1, "Bash", {"command": "ls"}, {"stdout": ""}))

    assert list(HookSession.objects.order_by("pk").values_list("user__username", "session_id")) == [
        ("alice", SESSION),
        ("bob", SESSION),
    ]
    assert Project.objects.filter(key="shop").count() == 2


def look(number: int) -> dict[str, Any]:
    return done(number, "Read", {"file_path": f"{ROOT}/src/a{number}.py"}, {"file": {"content": f"{number}"}})


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda: tokens.revoke(ApiToken.objects.get()), 401),
        (lambda: ApiToken.objects.update(expires_at=timezone.now()), 401),
        (lambda: User.objects.update(is_active=False), 401),
        (lambda: ApiToken.objects.all().delete(), 401),
        (lambda: ApiToken.objects.update(scopes=["read"]), 403),
    ],
    ids=["revoked", "expired", "deactivated", "deleted", "without the scope"],
)
@pytest.mark.parametrize(
    "sent",
    [look(9), event("UserPromptSubmit", prompt="Go on"), event("Notification"), b"[]", b'{"hook_event_name": "Stop"}'],
    ids=["call", "prompt", "unknown event", "no event", "no session"],
)
def test_token_of_a_session_that_is_known_opens_nothing_from_the_change_on(
    sent: Any, change: Callable[[], object], status: int, api: Api, alice: User
) -> None:
    client = api(alice)
    for number in (1, 2, 3):
        assert post(client, look(number)).headers[CONTEXT_VERSION_HEADER] == "0"
    change()
    answer = post(client, sent)

    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert (CONTEXT_VERSION_HEADER in answer.headers, ToolCall.objects.count()) == (False, 3)


@pytest.mark.django_db(transaction=True)
def test_token_that_was_changed_elsewhere_is_taken_as_it_is_now(api: Api, alice: User) -> None:
    client = api(alice)
    for number in (1, 2, 3):
        post(client, look(number))
    User.objects.update(context_version=7)
    answers = [post(client, look(number)) for number in (4, 5)]

    assert [answer.headers[CONTEXT_VERSION_HEADER] for answer in answers] == ["7", "7"]
    assert ToolCall.objects.count() == 5


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("scopes", "is_told"), [(["ingest", "read"], True), (["ingest"], False)])
def test_token_that_may_no_longer_read_is_told_nothing_from_the_change_on(
    scopes: list[str], is_told: bool, api: Api, alice: User
) -> None:
    client = api(alice)
    run = stuck_run()
    before = [told(post(client, each)) for each in run[:3]]
    ApiToken.objects.update(scopes=scopes)
    after = [told(post(client, each)) for each in run[3:]]

    assert (any(before), any(after)) == (False, is_told)
