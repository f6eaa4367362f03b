"""Writes transcripts as Codex CLI does, small and about nothing in particular."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

THREAD = "0199a1b2-1111-7222-8333-444455556666"


class Rollout:
    """A transcript file of Codex that grows line by line, each line one second after the other."""

    def __init__(self, folder: Path, *, thread: str = THREAD, hour: int = 3) -> None:
        self.path = folder / f"rollout-2026-01-02T{hour:02}-04-05-{thread}.jsonl"
        self.thread = thread
        self._hour = hour
        self._seconds = itertools.count()
        folder.mkdir(parents=True, exist_ok=True)

    def begin(self, *, thread: str = "", source: Any = "cli", **fields: Any) -> None:
        """The first line, which forks and sub-agents repeat from their parents."""
        meta = {"id": thread or self.thread, "cwd": "/nowhere/shop", "source": source, "git": {"branch": "main"}}
        self.write("session_meta", {**meta, **fields})
        self.write("turn_context", {"cwd": "/nowhere/shop", "model": "gpt-x"})

    def person(self, text: str) -> None:
        """A person's words, in both layers."""
        self.event("user_message", message=text)
        self.said("user", text)

    def agent(self, text: str) -> None:
        """The agent's words, in both layers."""
        self.said("assistant", text)
        self.event("agent_message", message=text)

    def said(self, role: str, *texts: str) -> None:
        """An item for the model."""
        kind = "output_text" if role == "assistant" else "input_text"
        self.item("message", role=role, content=[{"type": kind, "text": text} for text in texts])

    def ran(self, call: str, command: str, output: Any) -> None:
        """A shell command and its output."""
        self.item("function_call", name="exec_command", arguments=json.dumps({"cmd": command}), call_id=call)
        self.item("function_call_output", call_id=call, output=output)

    def event(self, kind: str, **fields: Any) -> None:
        """An event."""
        self.write("event_msg", {"type": kind, **fields})

    def item(self, kind: str, **fields: Any) -> None:
        """An item."""
        self.write("response_item", {"type": kind, **fields})

    def write(self, kind: str, payload: Any) -> None:
        """One line."""
        number = next(self._seconds)
        time = f"2026-01-02T{self._hour:02}:{number // 60:02}:{number % 60:02}.000Z"
        self.raw(json.dumps({"timestamp": time, "type": kind, "payload": payload}).encode() + b"\n")

    def raw(self, content: bytes) -> None:
        """Append bytes."""
        with self.path.open("ab") as file:
            file.write(content)
