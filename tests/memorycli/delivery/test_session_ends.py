"""Ends of sessions, from the hook's event to the server; test_channels.py has how each answer is dealt with."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memorycli.delivery import session_ends
from memoryserver.accounts.models import User
from memoryserver.common.hook_event import HookEvent
from trajectory.local import delivery, recorder
from trajectory.models import AssessmentRecord, Trajectory

SERVER = "http://server"


def event(session: str = "s1", agent: str = "") -> HookEvent:
    return HookEvent({"hook_event_name": "SessionEnd", "session_id": session, "agent_id": agent})


@pytest.fixture
def client(alice: User, api: Any) -> Any:
    """A client whose requests go to the real API."""
    browser = api(alice)

    def post(path: str, body: object) -> Any:
        response = browser.post("/api/v1" + path, body, content_type="application/json")
        assert response.status_code == 200, response.content
        return response.json()

    return SimpleNamespace(post=post)


def fail(session: str = "s1", agent: str = "") -> None:
    failing: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "No rule"}
    recorder.record_report(failing | {"session_id": session, "agent_id": agent}, Path.cwd())


def test_end_names_session_sub_agent_and_time() -> None:
    session_ends.record(event(agent="a7"))

    (path,) = session_ends.outbox().waiting()
    content = json.loads(path.read_bytes())
    assert (path.stem, content["session_id"], content["agent_id"]) == (content["id"], "s1", "a7")
    assert content["ended_at"].endswith("Z")
    assert sorted(content) == ["agent_id", "ended_at", "id", "session_id"]


@pytest.mark.django_db
def test_end_that_follows_its_calls_ends_the_findings_on_the_server(client: Any) -> None:
    for agent in ("", "sub"):
        for _ in range(3):
            fail(agent=agent)
    fail(session="s2")
    session_ends.record(event())
    delivery.deliver(client.post, SERVER)
    assert AssessmentRecord.objects.filter(ended_at_call=None).count() == 4

    reports = [session_ends.deliver(client) for _ in range(2)]

    assert [report.sent for report in reports] == [1, 0]
    assert set(AssessmentRecord.objects.values_list("ended_at_call", "ended_with_session")) == {(3, True)}
    assert list(Trajectory.objects.filter(ended_at=None).values_list("session_id", flat=True)) == ["s2"]


@pytest.mark.django_db
def test_session_that_went_on_before_its_end_was_delivered_goes_on_there(client: Any) -> None:
    fail()
    session_ends.record(event())
    fail()
    delivery.deliver(client.post, SERVER)

    assert session_ends.deliver(client).sent == 1
    assert Trajectory.objects.get().ended_at is None
