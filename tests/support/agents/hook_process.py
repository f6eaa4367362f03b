"""An agent whose hooks run in this process: events go in as bytes, answers come out as the agent reads them."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memorycli.hook import command as hook_command
from memorycli.hook import events
from tests.support.laptops.laptop import SETTINGS

NUMBERS = itertools.count()


class Agent:
    """One session of Claude Code in a project."""

    def __init__(self, root: Path, session_id: str = "s") -> None:
        self.project = root / "project ü"
        self.home = root / "home"
        self.session_id = session_id
        (self.project / ".git").mkdir(parents=True, exist_ok=True)

    @property
    def journal(self) -> Path:
        return self.project / ".claude/journal"

    def event(self, name: str, **fields: Any) -> dict[str, Any]:
        return {"session_id": self.session_id, "cwd": str(self.project), "hook_event_name": name} | fields

    def said(self, name: str, **fields: Any) -> str:
        """What the hook puts before the model at that event; "" for nothing."""
        answer = events.answer_to(json.dumps(self.event(name, **fields)).encode())
        if answer is None:
            return ""
        output = answer["hookSpecificOutput"]
        assert isinstance(output, dict)
        assert output["hookEventName"] == name
        text = output["additionalContext"]
        assert set(output) == {"hookEventName", "additionalContext"}
        assert 0 < len(text) <= 10_000
        return str(text)

    def ran(self, command: str, printed: str = "ok", status: int = 0, **fields: Any) -> str:
        """What the hook says after the shell ran `command`."""
        call = {"tool_name": "Bash", "tool_use_id": f"toolu_{next(NUMBERS)}", "tool_input": {"command": command}}
        if status:
            return self.said("PostToolUseFailure", **call, error=f"Exit code {status}\n{printed}", **fields)
        response = {"stdout": printed, "stderr": "", "interrupted": False, "isImage": False}
        return self.said("PostToolUse", **({**call, "tool_response": response} | fields))

    def edited(self, path: str = "src/app.py", **fields: Any) -> str:
        """What the hook says after the agent edited the file at `path` in the project."""
        change = {"file_path": str(self.project / path), "old_string": "a", "new_string": f"b{next(NUMBERS)}"}
        call = {"tool_name": "Edit", "tool_use_id": f"toolu_{next(NUMBERS)}", "tool_input": change}
        return self.said("PostToolUse", **({**call, "tool_response": {"filePath": change["file_path"]}} | fields))

    def process(self, event: dict[str, Any] | bytes, **options: Any) -> subprocess.CompletedProcess[bytes]:
        """The hook as a process of its own."""
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        return subprocess.run(hook_command.argv(), input=data, capture_output=True, check=False, **options)

    def log(self) -> str:
        """What the hook says went wrong."""
        path = self.home / "logs/hook.log"
        return path.read_text() if path.exists() else ""


def agent_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    """The body of a fixture: an agent whose home is in `tmp_path`."""
    for name in (*SETTINGS, "MEMORYSERVER_TRAJECTORY_DIR", "MEMORYSERVER_CHECK_IN_CALLS", "MEMORYSERVER_CONTEXT_CHARS"):
        monkeypatch.delenv(name, raising=False)
    agent = Agent(tmp_path)
    monkeypatch.setenv("PATH", f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("MEMORYSERVER_HOME", str(agent.home))
    monkeypatch.chdir(agent.project)
    yield agent
    assert in_time(agent.log()) == [], agent.log()


def in_time(log: str) -> list[str]:
    """Return the lines of a hook's log without those of its time limit, which a busy machine may reach.

    What such a hook has left undone fails the test by itself.
    """
    return [line for line in log.splitlines() if not line.endswith("gave up: the time limit of the hook was reached")]
