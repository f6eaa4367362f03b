"""Writes transcripts as Claude Code does, small and about nothing in particular."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

SESSION = "5f0c8a52-7d1e-4c6b-9a3f-2b1d0e9c8a77"


class Transcript:
    """A transcript file that grows line by line; each record has its own uuid and time."""

    def __init__(self, path: Path, *, session: str = SESSION, cwd: str = "/nowhere/shop") -> None:
        self.path = path
        self.session = session
        self.cwd = cwd
        self._numbers = itertools.count(1)
        path.parent.mkdir(parents=True, exist_ok=True)

    def person(self, text: str | list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
        """A person's words."""
        return self.write(self.record("user", {"role": "user", "content": text}, **fields))

    def agent(self, *texts: str, **fields: Any) -> dict[str, Any]:
        """The agent's words."""
        blocks = [{"type": "text", "text": text} for text in texts]
        return self.write(self.record("assistant", self._said(blocks), **fields))

    def use(self, call: str, name: str, given: dict[str, Any], **fields: Any) -> dict[str, Any]:
        """A call of a tool."""
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        return self.write(self.record("assistant", self._said([block]), **fields))

    def result(self, call: str, content: Any, *, error: bool = False, **fields: Any) -> dict[str, Any]:
        """What came back."""
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": content}
        if error:
            block["is_error"] = True
        return self.write(self.record("user", {"role": "user", "content": [block]}, **fields))

    def ran(self, call: str, command: str, output: str, *, error: bool = False) -> None:
        """A shell command and its output."""
        self.use(call, "Bash", {"command": command})
        self.result(call, output, error=error)

    def boundary(self, **fields: Any) -> dict[str, Any]:
        """The line that marks a compaction."""
        return self.write(
            self.record("system", None, subtype="compact_boundary", content="Conversation compacted", **fields)
        )

    def summary(self, **fields: Any) -> dict[str, Any]:
        """The summary that follows a compaction."""
        text = "This session is being continued from a previous conversation. Always use the old summary."
        return self.person(text, isCompactSummary=True, **fields)

    def record(self, kind: str, message: dict[str, Any] | None, **fields: Any) -> dict[str, Any]:
        """A record that is not written yet."""
        number = next(self._numbers)
        record: dict[str, Any] = {
            "type": kind,
            "uuid": f"{self.path.stem[:8]}-{number}",
            "timestamp": f"2026-03-01T10:{number // 60 % 60:02}:{number % 60:02}.{number:03}Z",
            "sessionId": self.session,
            "cwd": self.cwd,
            "gitBranch": "main",
            "isSidechain": False,
        }
        if message is not None:
            record["message"] = message
        return {**record, **fields}

    def write(self, record: dict[str, Any]) -> dict[str, Any]:
        """Append `record` as a line."""
        self.raw(json.dumps(record).encode() + b"\n")
        return record

    def raw(self, content: bytes) -> None:
        """Append bytes."""
        with self.path.open("ab") as file:
            file.write(content)

    @staticmethod
    def _said(blocks: list[dict[str, Any]]) -> dict[str, Any]:
        return {"role": "assistant", "model": "claude-x", "content": blocks}


REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). "
)
SAID = REJECTED + "To tell you how to proceed, the user said:\n"
REASON = REJECTED + "The user provided the following reason for the rejection:  "
STOP = REJECTED + "STOP what you are doing and wait for the user to tell you how to proceed."
