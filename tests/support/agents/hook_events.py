"""Events in the form in which Claude Code posts them, and a run of an agent that gets nowhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from django.test import Client

PATH = "/api/v1/hooks/claude-code"
SESSION = "5d2c7a10-0000-4000-8000-000000000001"
ROOT = "/home/dev/shop"
Post = Callable[..., Any]


def event(name: str, **fields: Any) -> dict[str, Any]:
    """What every event has, and its own fields."""
    return {
        "session_id": SESSION,
        "transcript_path": f"/home/dev/.claude/projects/-home-dev-shop/{SESSION}.jsonl",
        "cwd": ROOT,
        "permission_mode": "default",
        "hook_event_name": name,
        **fields,
    }


def done(number: int, tool: str, tool_input: dict[str, Any], response: Any) -> dict[str, Any]:
    call = {"tool_name": tool, "tool_input": tool_input, "tool_use_id": f"toolu_{number:04}", "duration_ms": 40}
    return event("PostToolUse", **call, tool_response=response)


def failed(number: int, tool: str, tool_input: dict[str, Any], error: str) -> dict[str, Any]:
    call = {"tool_name": tool, "tool_input": tool_input, "tool_use_id": f"toolu_{number:04}", "duration_ms": 4187}
    return event("PostToolUseFailure", **call, error=error, is_interrupt=False)


def stuck_run(rounds: int = 8) -> list[dict[str, Any]]:
    """Reads, edits and tests in turn; the tests fail with the same error each time."""
    calls: list[dict[str, Any]] = []
    for turn in range(rounds):
        number = turn * 3
        patch = {
            "file_path": f"{ROOT}/src/export.py",
            "old_string": f"timeout={turn}",
            "new_string": f"timeout={turn + 1}",
        }
        calls += [
            done(
                number, "Read", {"file_path": f"{ROOT}/src/export.py"}, {"type": "text", "file": {"content": f"{turn}"}}
            ),
            done(number + 1, "Edit", patch, {"filePath": patch["file_path"], "oldString": "a", "newString": "b"}),
            failed(
                number + 2,
                "Bash",
                {"command": "pytest tests/test_export.py", "description": "Run the tests"},
                "Exit code 1\nFAILED tests/test_export.py::test_export - TimeoutError: no answer\n1 failed in 30.1s",
            ),
        ]
    return calls


def post(client: Client, body: object, **headers: str) -> Any:
    """The answer to an event, or to raw bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body)
    return client.post(PATH, data, content_type="application/json", headers=headers or None)


def told(answer: Any) -> str:
    """What the answer puts before the model, "" for nothing."""
    assert answer.status_code == 200, answer.content
    said = answer.json()
    if said == {}:
        return ""
    assert list(said) == ["hookSpecificOutput"]
    assert sorted(said["hookSpecificOutput"]) == ["additionalContext", "hookEventName"]
    text: str = said["hookSpecificOutput"]["additionalContext"]
    return text


def findings(said: list[str]) -> list[str]:
    """What the observers say in these texts: the first line of each message of theirs."""
    return [
        found for text in said for found in re.findall(r"^Automated check of your tool calls: (.+)", text, re.MULTILINE)
    ]
