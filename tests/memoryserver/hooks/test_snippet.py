"""The settings that the documentation shows, taken as an agent takes them, against the server over HTTP."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from capture import sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from memorycli.agents import claude_code
from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User
from tests.support.agents.hook_events import event, findings, stuck_run
from trajectory.models import ToolCall

PAGE = Path(__file__).parents[3] / "docs" / "mcp.md"
SERVER = "https://memory.example.org"
CORRECTION = "No, don't restart the export by hand. Always use `make export`, the script takes the lock first."


def settings() -> dict[str, Any]:
    (found,) = [one for one in re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL) if "hooks" in one]
    shown: dict[str, Any] = json.loads(found)
    return shown


class PostingAgent:
    """Does with the settings what Claude Code does: nothing of the environment goes out but what they allow."""

    def __init__(self, server: str, environment: dict[str, str]) -> None:
        self._hooks = json.loads(json.dumps(settings()).replace(SERVER, server))["hooks"]
        self._environment = environment

    def tells(self, happened: dict[str, Any]) -> list[str]:
        """What the hooks put before the model at this event."""
        groups = self._hooks.get(happened["hook_event_name"], [])
        return [said for group in groups for hook in group["hooks"] for said in self._post(hook, happened)]

    def _post(self, hook: dict[str, Any], happened: dict[str, Any]) -> list[str]:
        allowed = {name: self._environment.get(name, "") for name in hook["allowedEnvVars"]}
        headers = {
            name: re.sub(r"\$\{(\w+)\}", lambda found: allowed.get(found[1], ""), value)
            for name, value in hook["headers"].items()
        }
        headers["Content-Type"] = "application/json"
        request = urllib.request.Request(hook["url"], json.dumps(happened).encode(), headers)
        with urllib.request.urlopen(request, timeout=hook["timeout"]) as answer:
            said = json.loads(answer.read())
        if not said:
            return []
        assert said["hookSpecificOutput"]["hookEventName"] == happened["hook_event_name"]
        return [said["hookSpecificOutput"]["additionalContext"]]


def test_settings_shown_are_those_that_the_installer_writes() -> None:
    wanted = claude_code.http_hook_entries(SERVER)

    assert settings() == {"hooks": {name: [{"hooks": [handler]}] for name, handler in wanted.items()}}


@pytest.mark.django_db(transaction=True)
def test_a_developer_with_nothing_but_the_settings_is_told_and_remembered(live_server: LiveServer) -> None:
    alice = User.objects.create(username="alice")
    project = Project.objects.create(owner=alice, key="github.com/crew/shop")
    sink.store_by_hand(alice, project, IncomingLearning("gotcha", "The export waits for the backup's lock", 0.9, 1))
    _, token = tokens.issue(alice, "laptop")
    agent = PostingAgent(live_server.url, {"MEMORYSERVER_TOKEN": token, "AWS_SECRET_ACCESS_KEY": "never sent"})

    begun = agent.tells(event("SessionStart", source="startup")) + agent.tells(
        event("UserPromptSubmit", prompt=CORRECTION)
    )
    said = [text for call in stuck_run() for text in agent.tells(call)]
    agent.tells(event("Stop", last_assistant_message="The tests still fail.", stop_hook_active=False))
    agent.tells(event("SessionEnd", reason="other"))

    assert len(begun) == 1
    assert "The export waits for the backup's lock" in begun[0]
    assert len(findings(said)) == len(set(findings(said))) >= 1
    assert ToolCall.objects.filter(user=alice, project=project).count() == len(stuck_run())
    assert [one.content for one in Learning.objects.filter(project=project) if "make export" in one.content] != []
