"""The transcripts of Codex, as the program writes them: what is said stands there twice, results hold only text."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.e2e.agents.stand_in import Made, Outcome, now

VERSION = "0.137.0"


class Rollout:
    """One session's file below `home`."""

    def __init__(self, home: Path, session: str, cwd: Path) -> None:
        day, moment = time.strftime("%Y/%m/%d %Y-%m-%dT%H-%M-%S", time.gmtime()).split()
        self.path = home / ".codex/sessions" / day / f"rollout-{moment}-{session}.jsonl"
        self._history: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        about = {"id": session, "cwd": str(cwd), "originator": "codex_cli_rs", "cli_version": VERSION, "source": "cli"}
        self._add("session_meta", {**about, "timestamp": now(), "instructions": None, "git": {"branch": "main"}})
        policy = {"approval_policy": "on-request", "sandbox_policy": {"mode": "workspace-write"}}
        self._add("turn_context", {"cwd": str(cwd), "model": "gpt-5.5-codex", **policy})
        injected = f"<environment_context>\n  <cwd>{cwd}</cwd>\n</environment_context>"
        self._item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": injected}]})

    def heard(self, text: str) -> None:
        self._item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
        self._add("event_msg", {"type": "user_message", "message": text, "kind": "plain"})

    def said(self, text: str) -> None:
        self._add("event_msg", {"type": "agent_message", "message": text})
        self._item({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})

    def called(self, made: Sequence[Made]) -> None:
        for one in made:
            arguments = json.dumps({"cmd": one.given.get("command", "")})
            self._item({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": one.id})

    def came_out(self, made: Made, outcome: Outcome) -> None:
        self._item({"type": "function_call_output", "call_id": made.id, "output": outcome.response})

    def compacted(self) -> None:
        """The history is repeated in the line that replaces it."""
        self._add("compacted", {"message": "The agent worked.", "replacement_history": list(self._history)})
        self._add("event_msg", {"type": "context_compacted"})

    def _item(self, payload: dict[str, Any]) -> None:
        self._history.append(payload)
        self._add("response_item", payload)

    def _add(self, kind: str, payload: dict[str, Any]) -> None:
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"timestamp": now(), "type": kind, "payload": payload}, ensure_ascii=False) + "\n")
