"""The transcripts of Claude Code, as the program writes them: JSONL, each line with its own id and its parent's."""

from __future__ import annotations

import json
import re
import threading
import unicodedata
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.e2e.agents.stand_in import Made, Outcome, now

VERSION = "2.1.240"
_SUMMARY = "This session is being continued from a previous conversation that ran out of context. The summary: "


def folder_of(home: Path, project: Path) -> Path:
    """Where Claude Code keeps the transcripts of a project."""
    return home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", unicodedata.normalize("NFC", str(project)))


class Transcript:
    """One file. `agent` is the sub-agent whose it is; a main session's begins with lines that are no turns."""

    def __init__(self, path: Path, session: str, cwd: Path, agent: str = "") -> None:
        self.path = path
        self._about = {
            "isSidechain": bool(agent),
            "userType": "external",
            "cwd": str(cwd),
            "sessionId": session,
            "version": VERSION,
            "gitBranch": "main",
            **({"agentId": agent} if agent else {}),
        }
        self._parent: str | None = None
        self._chain: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not agent:
            queued = {"type": "queue-operation", "operation": "enqueue", "content": "hello", "timestamp": now()}
            self._append(queued | {"sessionId": session})
            self._append({"type": "mode", "mode": "normal", "sessionId": session})

    def heard(self, text: str, *, machine: bool = False) -> None:
        source = {"promptSource": "system", "origin": {"kind": "task-notification"}} if machine else {}
        typed = {} if self._about["isSidechain"] or machine else {"promptSource": "typed", "origin": {"kind": "human"}}
        self._add("user", message={"role": "user", "content": text}, **source, **typed)

    def said(self, text: str) -> None:
        self._message(f"msg_{uuid.uuid4().hex[:20]}", {"type": "text", "text": text})

    def called(self, made: Sequence[Made]) -> None:
        """One message of the model, a line for each of its blocks."""
        message = f"msg_{uuid.uuid4().hex[:20]}"
        self._message(message, {"type": "thinking", "thinking": "", "signature": "x"}, last=False)
        for number, one in enumerate(made, 1):
            block = {"type": "tool_use", "id": one.id, "name": one.tool, "input": one.given}
            self._message(message, block, last=number == len(made))

    def came_out(self, made: Made, outcome: Outcome) -> None:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": made.id, "content": outcome.printed or "done"}
        detail = outcome.response
        if outcome.error:
            block |= {"content": outcome.error, "is_error": True}
            detail = f"Error: {outcome.error}"
        self._add("user", message={"role": "user", "content": [block]}, toolUseResult=detail)

    def injected(self, event: str, text: str) -> None:
        content = {"type": "hook_additional_context", "content": [text], "hookName": event, "hookEvent": event}
        self._add("attachment", attachment=content)

    def compacted(self, trigger: str, *, replays: bool) -> None:
        """The boundary and the summary; then, where it `replays`, all earlier lines once more as they were."""
        before = list(self._chain)
        logical, self._parent = self._parent, None
        about = {"trigger": trigger, "preTokens": 150_000}
        self._add(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            level="info",
            logicalParentUuid=logical,
            compactMetadata=about,
        )
        summary = [{"type": "text", "text": _SUMMARY + "the agent worked on the cache."}]
        self._add("user", message={"role": "user", "content": summary}, isCompactSummary=True)
        for line in before if replays else []:
            self._append(line | {"gitBranch": "later"})

    def _message(self, identifier: str, block: dict[str, Any], *, last: bool = True) -> None:
        message = {
            "id": identifier,
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [block],
            "stop_reason": "end_turn" if last else None,
            "usage": {"input_tokens": 9, "output_tokens": 9 if last else 1},
        }
        self._add("assistant", message=message, requestId=f"req_{identifier}")

    def _add(self, kind: str, **fields: Any) -> None:
        with self._lock:
            identifier = str(uuid.uuid4())
            line = {"parentUuid": self._parent, **self._about, "type": kind, **fields}
            line |= {"uuid": identifier, "timestamp": now()}
            self._parent = identifier
            self._chain.append(line)
            self._append(line)

    def _append(self, line: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
