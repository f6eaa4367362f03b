"""An agent's run, posted event by event: what is told, what is kept, and that the laptop's hook says the same."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.live_server_helper import LiveServer

from capture.models import Compaction, Learning
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.common import hook_answer
from memoryserver.hooks.models import HookSession
from tests.support.agents.hook_events import ROOT, SESSION, done, event, failed, findings, post, stuck_run, told
from trajectory.local import recorder
from trajectory.models import AssessmentRecord, ToolCall

Api = Callable[[User | None], Client]
CORRECTION = "No, don't restart the export by hand. Always use `make export`, the script takes the lock first."
FINAL = (
    "The root cause was that `make export` held the lock of `orders` while `pg_dump` ran. "
    "I fixed it by taking the lock later."
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_agent_that_is_stuck_is_told_once(api: Api, alice: User) -> None:
    client = api(alice)

    answers = [told(post(client, call)) for call in stuck_run()]

    said = [answer for answer in answers if answer]
    assert said[0].startswith("Automated check of your tool calls: ")
    found = findings(said)
    assert len(found) == len(set(found))
    assert ToolCall.objects.count() == len(answers)
    assert [row.observer for row in AssessmentRecord.objects.exclude(told_at_call=None)] == ["Edit-Test Loop"]
    assert set(ToolCall.objects.values_list("project__key", flat=True)) == {"shop"}


def test_laptop_and_server_tell_the_same_at_the_same_call(api: Api, alice: User, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    run = json.loads(json.dumps([*stuck_run(), *stuck_run(3)]).replace(ROOT, str(project)))
    for number, call in enumerate(run):
        call["tool_use_id"] = f"toolu_{number:04}"
    client = api(alice)

    by_http = [told(post(client, call)) for call in run]
    by_laptop = []
    for call in run:
        answer = hook_answer.with_context(call["hook_event_name"], recorder.record_report(call, project).tell) or {}
        specific = answer.get("hookSpecificOutput")
        by_laptop.append(specific["additionalContext"] if isinstance(specific, dict) else "")

    assert [_without_time(said) for said in by_http] == [_without_time(said) for said in by_laptop]
    assert len([said for said in by_http if said]) >= 1


def _without_time(said: str) -> str:
    return re.sub(r"\*\*Time\*\*: \S+", "", said)


def test_event_that_comes_twice_counts_once(api: Api, alice: User) -> None:
    client = api(alice)
    run = stuck_run()

    twice = [told(post(client, call)) for call in run for _ in range(2)]

    assert ToolCall.objects.count() == len(run)
    assert [said for said in twice[1::2] if said] == []
    assert len([said for said in twice if said]) >= 1


@pytest.mark.django_db(transaction=True)
def test_parallel_hooks_of_one_session_lose_nothing_and_tell_nothing_twice(live_server: LiveServer) -> None:
    alice = User.objects.create(username="alice")
    _, token = tokens.issue(alice, "laptop")
    run = stuck_run(6)
    answers = _posted_at_once(live_server.url, token, [*run, *run], threads=6)

    said = [answer["hookSpecificOutput"]["additionalContext"] for answer in answers if answer]
    found = findings(said)
    assert ToolCall.objects.count() == len(run)
    assert sorted(ToolCall.objects.values_list("call_index", flat=True)) == list(range(1, len(run) + 1))
    assert HookSession.objects.count() == 1
    assert len(found) == len(set(found))


def _posted_at_once(
    url: str, token: str, run: list[dict[str, object]], *, threads: int
) -> list[dict[str, dict[str, str]]]:
    import urllib.request
    from concurrent.futures import ThreadPoolExecutor

    barrier = threading.Barrier(threads)

    def send(calls: list[dict[str, object]]) -> list[dict[str, dict[str, str]]]:
        barrier.wait()
        answers = []
        for call in calls:
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            request = urllib.request.Request(f"{url}/api/v1/hooks/claude-code", json.dumps(call).encode(), headers)
            with urllib.request.urlopen(request, timeout=30) as answer:
                answers.append(json.loads(answer.read()))
        return answers

    with ThreadPoolExecutor(threads) as pool:
        return [one for found in pool.map(send, [run[start::threads] for start in range(threads)]) for one in found]


def test_sub_agent_is_a_trajectory_of_its_own(api: Api, alice: User) -> None:
    client = api(alice)
    post(client, stuck_run(1)[0])
    post(client, stuck_run(1)[1] | {"agent_id": "a1", "agent_type": "Explore", "cwd": "/tmp/worktree"})

    assert list(ToolCall.objects.order_by("pk").values_list("agent_id", "call_index", "project__key")) == [
        ("", 1, "shop"),
        ("a1", 1, "shop"),
    ]


def test_secrets_of_a_call_are_not_kept(api: Api, alice: User) -> None:
    post(
        api(alice),
        failed(1, "Bash", {"command": "curl -H 'Authorization: Bearer sk-ant-api03-" + "a" * 90 + "'"}, "Exit code 1"),
    )

    assert "sk-ant" not in json.dumps(ToolCall.objects.get().body)


def test_file_that_an_event_names_is_not_opened(api: Api, alice: User, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    message = {"message": {"id": "m1", "content": [{"type": "tool_use", "id": "toolu_0001"}]}}
    transcript.write_text(json.dumps(message) + "\n")

    post(api(alice), failed(1, "Bash", {"command": "false"}, "Exit code 1") | {"transcript_path": str(transcript)})

    assert ToolCall.objects.get().body["batch_id"] == ""


def test_words_of_people_and_agents_are_learned_without_secrets(api: Api, alice: User) -> None:
    client = api(alice)
    said = f"{CORRECTION} The key is AKIAIOSFODNN7EXAMPLE."

    post(client, event("UserPromptSubmit", prompt=said))
    post(client, event("Stop", last_assistant_message=FINAL, stop_hook_active=False))
    kept = {(one.type, one.content) for one in Learning.objects.all()}
    for _ in range(2):
        post(client, event("UserPromptSubmit", prompt=said))
        post(client, event("Stop", last_assistant_message=FINAL, stop_hook_active=False))

    assert {kind for kind, _ in kept} >= {"solution"} or {kind for kind, _ in kept} >= {"error_recovery"}
    assert [content for _, content in kept if "make export" in content] != []
    assert [content for _, content in kept if "AKIA" in content] == []
    assert {(one.type, one.content, one.seen_count) for one in Learning.objects.all()} == {(*one, 1) for one in kept}
    assert set(Learning.objects.values_list("project__key", flat=True)) == {"shop"}


def test_what_a_person_hid_does_not_come_back(api: Api, alice: User) -> None:
    client = api(alice)
    post(client, event("UserPromptSubmit", prompt=CORRECTION))
    Learning.objects.update(hidden=True)

    post(client, event("UserPromptSubmit", prompt=CORRECTION) | {"session_id": "another"})

    assert list(Learning.objects.values_list("hidden", flat=True).distinct()) == [True]


@pytest.mark.parametrize(
    "given",
    [
        event("UserPromptSubmit", prompt=f"<system-reminder>{CORRECTION}</system-reminder>"),
        event("UserPromptSubmit", prompt=f"This session is being continued from a previous conversation. {CORRECTION}"),
        event("UserPromptSubmit", prompt=CORRECTION, agent_id="a1"),
        event("StopFailure", last_assistant_message=FINAL, error="rate_limit"),
        event("Stop", last_assistant_message=7),
        event("Stop"),
    ],
)
def test_what_nobody_said_teaches_nothing(api: Api, alice: User, given: dict[str, object]) -> None:
    assert told(post(api(alice), given)) == ""
    assert Learning.objects.count() == 0


def test_final_message_of_a_sub_agent_is_learned_from_once(api: Api, alice: User) -> None:
    client = api(alice)
    stop = event("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message=FINAL)

    post(client, stop)
    post(client, stop)

    (learning, *_) = Learning.objects.all()
    assert learning.seen_count == 1
    assert learning.sources.get().capture.metadata["agent"] == "Explore"


def test_compaction_is_counted_once(api: Api, alice: User) -> None:
    client = api(alice)
    for _ in range(2):
        assert told(post(client, event("PreCompact", trigger="auto", custom_instructions=""))) == ""

    assert list(Compaction.objects.values_list("trigger", "context_id")) == [("auto", f"claude-code-{SESSION}")]


def test_end_of_a_session_is_taken_and_says_nothing(api: Api, alice: User) -> None:
    assert told(post(api(alice), event("SessionEnd", reason="clear"))) == ""


def test_call_late_in_a_session_costs_no_more_queries_than_an_early_one(api: Api, alice: User) -> None:
    client = api(alice)
    counts = []
    for number in range(30):
        call = done(number, "Read", {"file_path": f"{ROOT}/src/a{number}.py"}, {"file": {"content": f"{number}"}})
        with CaptureQueriesContext(connection) as queries:
            assert told(post(client, call)) == ""
        counts.append(len(queries))

    # Of the last ones the cheapest: on a busy machine one of them notes the time, as is due now and then.
    assert min(counts[-5:]) <= counts[2]
    assert max(counts) < 45
