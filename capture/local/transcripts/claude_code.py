"""Reads the transcripts of Claude Code: JSONL files that mostly, but not only, grow at the end.

Main sessions are `<slug>/<session>.jsonl`. Sub-agents have files of their own (`<slug>/<session>/subagents/**/
agent-*.jsonl`, in older versions `<slug>/agent-*.jsonl`) or, older still, lines marked `isSidechain` in the
session's file. The format is internal to the agent and changes: what is not known is passed over and counted,
and no field is relied on to have its shape.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from capture.local.transcripts.claude_code_results import result_of, use_of
from capture.local.transcripts.lines import lines_from, records_of
from capture.local.transcripts.messages import Counts, Kind, Message, Role, ToolResult, ToolUse
from capture.local.transcripts.reader import Reading
from capture.local.transcripts.wrappers import is_interruption, is_summary, own_words
from memoryserver.local.text import clean

_OTHER_FOLDERS = frozenset({"memory", "tool-results"})
_OTHER_FILES = frozenset({"history.jsonl", "journal.jsonl"})
_MOST_OPEN_CALLS = 100
_PEOPLE = frozenset({"", "typed", "queued"})  # promptSource of what a person wrote
_MOST_TEXT = 200_000


class ClaudeCodeReader:
    """The `Reader` of Claude Code."""

    agent_kind = "claude-code"

    def roots(self) -> list[Path]:
        """`projects` in each folder of `$CLAUDE_CONFIG_DIR` (comma-separated), `~/.claude` and `~/.config/claude`."""
        named = [part.strip() for part in os.environ.get("CLAUDE_CONFIG_DIR", "").split(",")]
        folders = [Path(part).expanduser() for part in named if part]
        folders += [Path.home() / ".claude", Path.home() / ".config" / "claude"]
        projects = [folder if folder.name == "projects" else folder / "projects" for folder in folders]
        return [folder for folder in dict.fromkeys(projects) if folder.is_dir()]

    def find(self, root: Path) -> Iterator[Path]:
        """Every `*.jsonl` below `root` but prompt histories, workflow journals and stored tool results."""
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if name not in _OTHER_FOLDERS)
            for name in sorted(names):
                if name.endswith(".jsonl") and name not in _OTHER_FILES:
                    yield Path(folder, name)

    def context_id(self, path: Path) -> str:
        """The file's name; a sub-agent's in the current layout with its session's before it."""
        for folder in path.parents:
            if folder.name == "subagents":
                return f"{folder.parent.name}-{path.stem}"
        return path.stem

    def agent_name(self, path: Path) -> str:
        """The `agentType` beside a sub-agent's transcript, else "main"."""
        try:
            described = json.loads(path.with_suffix(".meta.json").read_bytes())
        except (OSError, ValueError):  # most transcripts have no such file
            described = None
        kind = described.get("agentType") if isinstance(described, dict) else None
        if isinstance(kind, str) and kind:
            return clean(kind)[:100]
        return "sub-agent" if path.name.startswith("agent-") else "main"

    def read(self, file: BinaryIO, offset: int, memory: dict[str, Any], *, limit: int) -> Reading:
        """Messages are the user's and the agent's lines, steering texts and compaction boundaries."""
        stretch = _Stretch(memory)
        end = offset
        for line in lines_from(file, offset, limit=limit):
            stretch.take(line.content, line.start, line.end)
            end = line.end
        return Reading(stretch.messages, end, stretch.memory(), stretch.counts)


class _Stretch:
    """Turns lines into messages; what one line needs to know of those before it is here."""

    def __init__(self, memory: dict[str, Any]) -> None:
        self.messages: list[Message] = []
        self.counts = Counts()
        self._index: int = memory.get("index", 0)
        self._boundary_open: bool = memory.get("boundary_open", False)
        calls = map(ToolUse.from_dict, memory.get("open_calls", []))
        self._open = {call.id: call for call in calls}

    def memory(self) -> dict[str, Any]:
        """For the stretch that follows."""
        calls = [use.to_dict() for use in self._open.values()][-_MOST_OPEN_CALLS:]
        return {"index": self._index, "boundary_open": self._boundary_open, "open_calls": calls}

    def take(self, content: bytes | None, start: int, end: int) -> None:
        """The next line; None stands for one that was too long to be held."""
        if content is None:
            self.counts.long_lines += 1
            return
        records, whole = records_of(content)
        if not whole:
            self.counts.bad_lines += 1
            self.counts.recovered += len(records)
        for record in records:
            kind = record.get("type")
            make = self._makers().get(kind) if isinstance(kind, str) else None
            fields = make(record) if make else None
            if fields is None:
                self.counts.add_unknown(str(kind))
                continue
            self._index += 1
            self.messages.append(Message(index=self._index, start=start, end=end, **_common(record), **fields))

    def _makers(self) -> dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]]:
        return {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "attachment": _attachment,
            "queue-operation": _queue_operation,
        }

    def _system(self, record: dict[str, Any]) -> dict[str, Any] | None:
        if record.get("subtype") != "compact_boundary":
            return None
        self._boundary_open = True
        return {"role": Role.MACHINE, "kind": Kind.COMPACTION}

    def _user(self, record: dict[str, Any]) -> dict[str, Any]:
        blocks = _blocks(record)
        texts = [_text(block.get("text")) for block in blocks if block.get("type") == "text"]
        results = tuple(self._result(block, record) for block in blocks if block.get("type") == "tool_result")
        if record.get("isCompactSummary") is True or any(map(is_summary, texts)):
            return self._summary()
        words = own_words_of(texts) if _is_persons(record) else ""
        if results:
            return {"role": Role.TOOL, "kind": Kind.TOOL_RESULT, "results": results, "text": words}
        if any(map(is_interruption, texts)) and _is_persons(record):
            return {"role": Role.PERSON, "kind": Kind.INTERRUPTION, "text": words}
        if words:
            return {"role": Role.PERSON, "kind": Kind.WORDS, "text": words}
        return {"role": Role.MACHINE, "kind": Kind.OTHER}

    def _summary(self) -> dict[str, Any]:
        """Where no boundary line stands before it, the summary itself tells of the compaction."""
        known, self._boundary_open = self._boundary_open, False
        return {"role": Role.MACHINE, "kind": Kind.OTHER if known else Kind.COMPACTION}

    def _assistant(self, record: dict[str, Any]) -> dict[str, Any]:
        blocks = _blocks(record)
        uses = tuple(use_of(block, _text(record.get("cwd"))) for block in blocks if block.get("type") == "tool_use")
        self._open.update((use.id, use) for use in uses if use.id)
        message = record.get("message")
        model = _text(message.get("model")) if isinstance(message, dict) else ""
        unsaid = record.get("isApiErrorMessage") is True or record.get("isAbortedMidStream") is True
        if unsaid or model == "<synthetic>":
            return {"role": Role.MACHINE, "kind": Kind.OTHER, "model": model}
        words = own_words_of([_text(block.get("text")) for block in blocks if block.get("type") == "text"])
        kind = Kind.TOOL_USE if uses else Kind.WORDS if words else Kind.OTHER
        return {"role": Role.AGENT, "kind": kind, "text": words, "uses": uses, "model": model}

    def _result(self, block: dict[str, Any], record: dict[str, Any]) -> ToolResult:
        use = self._open.pop(_text(block.get("tool_use_id")), None)
        return result_of(block, record.get("toolUseResult"), use)


def own_words_of(texts: list[str]) -> str:
    """The words among several text blocks, as one text."""
    return "\n\n".join(filter(None, map(own_words, texts)))


def _attachment(record: dict[str, Any]) -> dict[str, Any] | None:
    """What a person typed while the agent worked; every other attachment is the machine's."""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        return None
    if attachment.get("commandMode") not in (None, "prompt") or not _is_persons(record):
        return None
    prompt = attachment.get("prompt")
    texts = [_text(prompt)] if isinstance(prompt, str) else [_text(block.get("text")) for block in _dicts(prompt)]
    return _steering(own_words_of(texts))


def _queue_operation(record: dict[str, Any]) -> dict[str, Any] | None:
    """The same in newer versions; what is only enqueued comes again as a line of its own."""
    return _steering(own_words(_text(record.get("content")))) if record.get("operation") == "remove" else None


def _steering(words: str) -> dict[str, Any] | None:
    return {"role": Role.PERSON, "kind": Kind.WORDS, "text": words} if words else None


def _is_persons(record: dict[str, Any]) -> bool:
    """Whether a person wrote this user line, and not the agent's program or the agent that started this one."""
    if any(record.get(mark) is True for mark in ("isMeta", "isSidechain", "isVisibleInTranscriptOnly")):
        return False
    origin = record.get("origin")
    kind = _text(origin.get("kind")) if isinstance(origin, dict) else ""
    return kind in ("", "human", "user") and _text(record.get("promptSource")) in _PEOPLE


def _common(record: dict[str, Any]) -> dict[str, Any]:
    forked = record.get("forkedFrom")
    origin = _text(forked.get("messageUuid")) if isinstance(forked, dict) else ""
    return {
        "uuid": (origin or _text(record.get("uuid")))[:100],
        "time": _text(record.get("timestamp"))[:40],
        "cwd": _text(record.get("cwd"))[:1000],
        "branch": _text(record.get("gitBranch"))[:200],
        "session": _text(record.get("sessionId"))[:100],
        "agent": _text(record.get("agentId"))[:100] if record.get("isSidechain") is True else "",
    }


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [{"type": "text", "text": content}] if isinstance(content, str) else _dicts(content)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return clean(value[:_MOST_TEXT]) if isinstance(value, str) else ""
