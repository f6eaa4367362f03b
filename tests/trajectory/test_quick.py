"""Calls that one statement stores: they are stored, and answered, as if each had been handled at length."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.hooks import session_cache
from memoryserver.hooks.models import HookSession
from tests.support.agents.hook_events import ROOT, SESSION, done, event, failed, post, stuck_run, told
from trajectory import configs, ending
from trajectory.calls import latest
from trajectory.models import AssessmentRecord, ToolCall, Trajectory

pytestmark = pytest.mark.django_db(transaction=True)

Api = Callable[[User | None], Client]


def look(number: int) -> dict[str, Any]:
    """A call that no observer has an interest in."""
    return done(number, "Read", {"file_path": f"{ROOT}/src/a{number}.py"}, {"file": {"content": f"x = {number}"}})


def forget() -> None:
    """What another process would know."""
    for sessions in (session_cache._sessions, latest._sessions):
        sessions._values.clear()


def statements_of(client: Client, call: dict[str, Any]) -> int:
    with CaptureQueriesContext(connection) as sent:
        assert told(post(client, call)) == ""
    return len(sent)


def everything() -> list[Any]:
    """All that is stored of calls, sessions and findings, without ids and times of arrival."""
    of_calls = ("call_id", "call_index", "tool_name", "outcome", "notified", "session_id", "agent_id", "project__key")
    calls = [
        (*values, {name: value for name, value in body.items() if name != "timestamp"})
        for body, *values in ToolCall.objects.order_by("call_index").values_list("body", *of_calls)
    ]
    sessions = Trajectory.objects.values_list("calls_made", "observed_through", "worst", "title", "ended_at")
    findings = AssessmentRecord.objects.order_by("began_at_call", "observer")
    return [calls, *sessions, *findings.values_list("observer", "identity", "began_at_call", "told_at_call")]


RUN = [
    event("UserPromptSubmit", prompt="Make the export quicker, it takes an hour"),
    *[look(number) for number in range(100, 112)],
    *stuck_run(6),
    event("UserPromptSubmit", prompt="Now look at the importer too"),
    *[look(number) for number in range(200, 230)],
    failed(300, "Bash", {"command": "curl -u dev:hunter2hunter2 https://x.example"}, "Exit code 6\nno such host"),
    done(301, "Bash", {"command": "make all"}, {"stdout": "done\x00\ud800", "stderr": ""}),
]


def test_run_is_stored_and_answered_as_if_each_call_was_handled_at_length(api: Api, alice: User) -> None:
    client, quick = api(alice), 0
    answers = []
    for each in RUN:
        with CaptureQueriesContext(connection) as sent:
            answers.append(told(post(client, each)))
        quick += len(sent) == 1
    stored = everything()
    for model in (ToolCall, AssessmentRecord, Trajectory, HookSession):
        model.objects.all().delete()

    at_length = []
    for each in RUN:
        forget()
        at_length.append(told(post(client, each)))

    assert (answers, stored) == (at_length, everything())
    assert [answer for answer in answers if answer]
    assert quick > 20


def test_call_of_a_known_session_costs_one_statement(api: Api, alice: User, settings: Any) -> None:
    settings.REQUESTS_PER_MINUTE = 0
    client = api(alice)
    counts = [statements_of(client, look(number)) for number in range(1, 7)]

    assert counts[2:] == [1, 1, 1, 1]


def test_call_that_comes_twice_is_stored_once(api: Api, alice: User) -> None:
    client = api(alice)
    for number in (1, 2, 3, 3, 4, 2):
        assert told(post(client, look(number))) == ""

    calls = ToolCall.objects.order_by("call_index").values_list("call_id", "call_index")
    assert list(calls) == [(f"toolu_{number:04}", number) for number in (1, 2, 3, 4)]


def test_prompt_that_another_process_took_begins_a_turn(api: Api, alice: User) -> None:
    client = api(alice)
    for number in (1, 2, 3):
        post(client, look(number))
    session = HookSession.objects.get()
    session.memory["trajectory"]["prompts"] = 5
    session.save()
    post(client, look(4))

    assert list(ToolCall.objects.order_by("call_index").values_list("body__turn", flat=True)) == [
        "",
        "",
        "",
        "prompt 5",
    ]


def test_calls_that_another_process_stored_are_counted_on_from(api: Api, alice: User) -> None:
    client = api(alice)
    for number in (1, 2, 3):
        post(client, look(number))
    mine = latest.of(alice, SESSION, "")
    assert mine is not None
    post(client, look(4))
    post(client, look(5))
    latest.keep(mine)
    post(client, look(6))

    assert list(ToolCall.objects.order_by("call_index").values_list("call_id", flat=True)) == [
        f"toolu_{number:04}" for number in range(1, 7)
    ]
    assert list(Trajectory.objects.values_list("calls_made", "observed_through")) == [(6, 6)]


def test_session_that_was_ended_by_a_job_is_continued(api: Api, alice: User) -> None:
    client = api(alice)
    for number in (1, 2, 3):
        post(client, look(number))
    ending.end(alice, SESSION, "", timezone.now())
    post(client, look(4))

    assert list(Trajectory.objects.values_list("calls_made", "ended_at")) == [(4, None)]


def test_session_and_its_calls_that_were_deleted_begin_again(api: Api, alice: User) -> None:
    client = api(alice)
    for number in (1, 2, 3):
        post(client, look(number))
    Trajectory.objects.all().delete()
    HookSession.objects.all().delete()
    post(client, look(4))

    assert list(ToolCall.objects.values_list("call_id", "call_index")) == [("toolu_0004", 1)]


def test_event_that_is_no_call_changes_nothing_in_a_known_session(api: Api, alice: User) -> None:
    client = api(alice)
    for number in (1, 2, 3):
        post(client, look(number))
    answer = post(client, look(4) | {"tool_name": 7})

    assert (answer.status_code, answer.json(), ToolCall.objects.count()) == (200, {}, 3)


def test_changed_configuration_is_in_effect_at_the_next_call_that_observers_look_at(
    api: Api, alice: User, settings: Any
) -> None:
    settings.REQUESTS_PER_MINUTE = 0
    client = api(alice)
    for number in range(1, 8):
        post(client, look(number))
    known = statements_of(client, look(7) | {"tool_use_id": "again"})  # a call that comes twice is looked at
    threshold = {"repeat_call": {"settings": {"repetition_threshold": 2}}}
    configs.change(alice, {"observers": threshold}, alice)
    post(client, look(8))

    assert known == 1
    assert told(post(client, look(8) | {"tool_use_id": "once more"})) != ""


def test_calls_of_one_session_at_once_are_each_stored_once(api: Api, alice: User) -> None:
    client = api(alice)
    for number in (1, 2, 3):
        post(client, look(number))

    def send(first: int) -> None:
        try:
            for number in range(first, first + 8):
                assert post(client, look(number)).status_code == 200
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(send, range(10, 58, 8)))

    indexes = ToolCall.objects.order_by("call_index").values_list("call_index", flat=True)
    assert list(indexes) == list(range(1, 52))
    assert ToolCall.objects.values("call_id").distinct().count() == 51
    assert list(Trajectory.objects.values_list("calls_made", "observed_through")) == [(51, 51)]
