"""Compactions of conversations in the outbox; test_channels.py has their delivery."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memorycli.delivery import compactions
from memoryserver.common.hook_event import HookEvent


def recorded(**fields: object) -> dict[str, Any]:
    """Record one compaction; return what waits."""
    raw: dict[str, object] = {"hook_event_name": "PreCompact", "session_id": "s1"}
    compactions.record(HookEvent(raw | fields), Path.cwd())
    (path,) = compactions.outbox().waiting()
    content: dict[str, Any] = json.loads(path.read_bytes())
    assert path.stem == content["id"]
    return content


def test_compaction_names_conversation_project_trigger_and_time() -> None:
    content = recorded(transcript_path="/logs/-slug/abc.jsonl", trigger="manual")

    assert sorted(content) == ["context_id", "happened_at", "id", "project", "trigger"]
    assert (content["context_id"], content["project"], content["trigger"]) == ("claude-code-abc", "shop", "manual")
    assert content["happened_at"].endswith("Z")


@pytest.mark.parametrize("trigger", ["", "unheard of", None, 7, ["auto"]])
def test_trigger_that_the_server_does_not_have_is_detected(trigger: object) -> None:
    assert recorded(trigger=trigger)["trigger"] == "detected"


@pytest.mark.parametrize("trigger", compactions.TRIGGERS)
def test_trigger_of_the_server_stays(trigger: str) -> None:
    assert recorded(trigger=trigger)["trigger"] == trigger


@pytest.mark.parametrize(("session", "context"), [("s1", "claude-code-s1"), ("", "claude-code-unknown")])
def test_compaction_without_a_transcript_is_of_the_session(session: str, context: str) -> None:
    assert recorded(session_id=session)["context_id"] == context


def test_compaction_of_a_sub_agent_is_not_of_its_parents_conversation() -> None:
    content = recorded(transcript_path="/logs/-slug/abc.jsonl", agent_id="a7")

    assert content["context_id"] != "claude-code-abc"
    assert "a7" in content["context_id"]
