"""Reads the transcripts of Claude Code: JSONL files that mostly, but not only, grow at the end.

Main sessions are `<slug>/<session>.jsonl`. Sub-agents have files of their own (`<slug>/<session>/subagents/**/
agent-*.jsonl`, in older versions `<slug>/agent-*.jsonl`) or, older still, lines marked `isSidechain` in the
session's file. The format is internal to the agent and changes: unknown records are skipped and counted,
and fields may have any type.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from capture.local.transcripts.call_details import without_details
from capture.local.transcripts.lines import records_of
from capture.local.transcripts.messages import Kind, Role, ToolResult, ToolUse
from capture.local.transcripts.reader import LinesReader, existing
from capture.local.transcripts.stretch import Stretch, dicts_of, text_of, texts_in
from capture.local.transcripts.tools import notices_in, result_of, use_of
from capture.local.transcripts.walk import Skip, ignore, walk
from capture.local.transcripts.wrappers import is_interruption, is_summary, own_words
from memoryserver.client import claude_config
from memoryserver.common.text import clean

_OTHER_FOLDERS = frozenset({"memory", "tool-results"})
_OTHER_FILES = frozenset({"history.jsonl", "journal.jsonl"})
_PEOPLE = frozenset({"", "typed", "queued"})  # promptSource of what a person wrote
_NOT_PEOPLES = ("isMeta", "isSidechain", "isVisibleInTranscriptOnly")
_RUN_START, _RUN_END = "<bash-input>", "</bash-input>"
_DESKTOP_SESSIONS = ("local_*", "*/local_*", "*/*/local_*")


class _Stretch(Stretch):
    remembered = ("boundary_open",)
    boundary_open = False  # a compaction's boundary line has come, its summary not yet

    def __init__(self, memory: dict[str, Any]) -> None:
        super().__init__(memory)
        self._sidechains: dict[str, str] = {}  # of lines without an agentId: uuid -> the sub-agent's name here

    def records_of(self, content: bytes) -> tuple[list[dict[str, Any]], bool]:
        shorter = without_details(content)
        found = records_of(shorter) if shorter is not None else ([], False)
        return found if found[1] else records_of(content)

    def read_record(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if kind == "assistant":
            self._assistant(record)
        elif kind == "user":
            self._user(record)
        elif kind == "system" and record.get("subtype") == "compact_boundary":
            self.boundary_open = True
            self._add(record, Role.MACHINE, _compaction(record))
        elif words := _steering(record, kind):
            self._add(record, Role.PERSON, Kind.WORDS, words)
        elif notices := notices_in(_queued(record, kind)):
            self._add(record, Role.MACHINE, Kind.OTHER, "", (), notices)
        else:
            self.skip(kind)

    def _add(
        self,
        record: dict[str, Any],
        role: Role,
        kind: Kind,
        text: str = "",
        uses: tuple[ToolUse, ...] = (),
        results: tuple[ToolResult, ...] = (),
        model: str = "",
    ) -> None:
        get = record.get
        forked = get("forkedFrom")
        origin = forked.get("messageUuid") if forked and isinstance(forked, dict) else None
        agent = self._agent_of(record) if get("isSidechain") is True else ""
        self.add(
            role,
            kind,
            _short(origin or get("uuid")),
            text,
            uses,
            results,
            model,
            _short(get("timestamp")),
            _short(get("cwd"), 1000),
            _short(get("gitBranch")),
            agent,
            _short(get("sessionId")),
        )

    def _agent_of(self, record: dict[str, Any]) -> str:
        """Return the id of a sub-agent; in older versions it has none, and its lines hang together by their parents."""
        if agent := _short(record.get("agentId")):
            return agent
        uuid = _short(record.get("uuid"))
        name = self._sidechains.get(_short(record.get("parentUuid"))) or f"sidechain {uuid[:8]}"
        self._sidechains[uuid] = name
        return name

    def _user(self, record: dict[str, Any]) -> None:
        texts: list[str] = []
        results: tuple[ToolResult, ...] = ()
        for block in _blocks(record):
            kind = block.get("type")
            if kind == "text":
                texts.append(text_of(block.get("text")))
            elif kind == "tool_result":
                results += (self._result(block, record),)
        if record.get("isCompactSummary") is True or any(map(is_summary, texts)):
            # Without a boundary line before it, the summary itself marks the compaction.
            had_boundary, self.boundary_open = self.boundary_open, False
            self._add(record, Role.MACHINE, Kind.OTHER if had_boundary else _compaction(record))
            return
        persons = _is_persons(record)
        words = _words_of(texts) if texts and persons else ""
        if results:
            self._add(record, Role.TOOL, Kind.TOOL_RESULT, words, (), results)
        elif persons and any(map(is_interruption, texts)):
            self._add(record, Role.PERSON, Kind.INTERRUPTION, words)
        elif words:
            self._add(record, Role.PERSON, Kind.WORDS, words)
        else:
            runs = _persons_runs(record, texts) if persons else ()
            self._add(record, Role.MACHINE, Kind.OTHER, "", runs, notices_in(texts))

    def _assistant(self, record: dict[str, Any]) -> None:
        message = record.get("message")
        model = _short(message.get("model")) if isinstance(message, dict) else ""
        cwd = _short(record.get("cwd"), 1000)
        texts: list[str] = []
        uses: list[ToolUse] = []
        for block in _blocks(record):
            kind = block.get("type")
            if kind == "text":
                texts.append(text_of(block.get("text")))
            elif kind == "tool_use":
                uses.append(use_of(_short(block.get("id")), _short(block.get("name")), block.get("input"), cwd))
        self.add_calls(*uses)
        is_discarded = record.get("isApiErrorMessage") is True or record.get("isAbortedMidStream") is True
        if is_discarded or model == "<synthetic>":
            self._add(record, Role.MACHINE, Kind.OTHER, model=model)
            return
        words = _words_of(texts) if texts else ""
        message_kind = Kind.TOOL_USE if uses else Kind.WORDS if words else Kind.OTHER
        self._add(record, Role.AGENT, message_kind, words, tuple(uses), (), model)

    def _result(self, block: dict[str, Any], record: dict[str, Any]) -> ToolResult:
        """Return the result of a `tool_result` block; `toolUseResult`, missing for sub-agents, has more details."""
        detail = record.get("toolUseResult")
        failed = block.get("is_error") is True or (isinstance(detail, str) and detail.startswith("Error:"))
        interrupted = isinstance(detail, dict) and detail.get("interrupted") is True
        use = self.use_for(text_of(block.get("tool_use_id")))
        return result_of(texts_in(block.get("content")), use, failed=failed, interrupted=interrupted)


class ClaudeCodeReader(LinesReader):
    """The reader of Claude Code."""

    agent_kind = "claude-code"
    takes_any = True
    stretch = _Stretch

    def roots(self) -> list[Path]:
        """`projects` in each folder of `$CLAUDE_CONFIG_DIR` (comma-separated), `~/.claude` and `~/.config/claude`.

        And those of the desktop program, which gives each of its sessions such a folder of its own.
        """
        folders = claude_config.named_folders()
        folders += [Path.home() / ".claude", Path.home() / ".config" / "claude"]
        projects = [folder if folder.name == "projects" else folder / "projects" for folder in folders]
        for program in _desktop_folders():
            sessions = program / "local-agent-mode-sessions"
            homes = [path for pattern in _DESKTOP_SESSIONS for path in sessions.glob(pattern)]
            projects += [path / ".claude" / "projects" for path in sorted(homes)]
        return existing(projects)

    def find(self, root: Path, skip: Skip = ignore) -> Iterator[Path]:
        """Yield every `*.jsonl` below `root` but prompt histories, workflow journals and stored tool results."""
        for folder, folders, names in walk(root, skip):
            folders[:] = sorted(name for name in folders if name not in _OTHER_FOLDERS)
            for name in sorted(names):
                if name.endswith(".jsonl") and name not in _OTHER_FILES:
                    yield Path(folder, name)

    def transcript_id(self, path: Path) -> str:
        """Return the file's name; a sub-agent's in the current layout with its session's before it."""
        folder = _session_folder(path)
        return path.stem if folder is None else f"{folder.name}-{path.stem}"

    def main_transcript(self, path: Path, session: str) -> Path | None:
        """Return the session's file beside its folder, in older versions the one in the same folder."""
        folder = _session_folder(path)
        main = path.with_name(f"{session}.jsonl") if folder is None else folder.with_suffix(".jsonl")
        return main if (folder or path.name.startswith("agent-")) and main != path and main.is_file() else None

    def session_transcripts(self, path: Path) -> list[Path]:
        """Return the session's file and those of its sub-agents."""
        folder = _session_folder(path) or path.with_suffix("")
        files = [folder.with_suffix(".jsonl"), *sorted(folder.glob("subagents/**/*.jsonl"))]
        return [file for file in files if file != path and file.is_file()]

    def slug(self, path: Path) -> str:
        """Return the name of the folder that holds the transcripts of one project."""
        return ((_session_folder(path) or path).parent).name

    def agent_name(self, path: Path) -> str:
        """Return the `agentType` beside a sub-agent's transcript, else "main"."""
        try:
            metadata = json.loads(path.with_suffix(".meta.json").read_bytes())
        except (OSError, ValueError):  # most transcripts have no such file
            metadata = None
        kind = metadata.get("agentType") if isinstance(metadata, dict) else None
        if isinstance(kind, str) and kind:
            return clean(kind)[:100]
        return "sub-agent" if path.name.startswith("agent-") else "main"


READER = ClaudeCodeReader()


def _compaction(record: dict[str, Any]) -> Kind:
    """Return the kind of a compaction's line; one that a fork copied is of the transcript that it was copied from."""
    return Kind.OTHER if record.get("forkedFrom") else Kind.COMPACTION


def _session_folder(path: Path) -> Path | None:
    """Return the folder of a session in which the sub-agent's transcript `path` lies; None for a session's own."""
    return next((folder.parent for folder in path.parents if folder.name == "subagents"), None)


def _desktop_folders() -> list[Path]:
    home = Path.home()
    folders = [home / "Library" / "Application Support" / "Claude", home / ".config" / "Claude"]
    if roaming := os.environ.get("APPDATA"):
        folders.append(Path(roaming) / "Claude")
    if local := os.environ.get("LOCALAPPDATA"):
        folders += Path(local).glob("Packages/Claude_*/LocalCache/Roaming/Claude")
    return folders


def _words_of(texts: list[str]) -> str:
    """Return the words among several text blocks, as one text."""
    return "\n\n".join(filter(None, map(own_words, texts)))


def _persons_runs(record: dict[str, Any], texts: list[str]) -> tuple[ToolUse, ...]:
    """Return the commands that a person ran in the agent's prompt, as calls of a shell without an id."""
    cwd = _short(record.get("cwd"), 1000)
    commands = [text[len(_RUN_START) : -len(_RUN_END)] for text in texts if _is_run(text)]
    return tuple(use_of("", "Bash", {"command": command.strip()}, cwd) for command in commands)


def _is_run(text: str) -> bool:
    return text.startswith(_RUN_START) and text.endswith(_RUN_END)


def _steering(record: dict[str, Any], kind: object) -> str:
    """Return what a person typed while the agent worked: in an attachment, or when it leaves the queue.

    What is only enqueued comes again as a line of its own, and every other attachment is the machine's.
    """
    if kind == "queue-operation":
        return own_words(text_of(record.get("content"))) if record.get("operation") == "remove" else ""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("commandMode") not in (None, "prompt"):
        return ""
    texts = _queued(record, kind)
    return _words_of(texts) if texts and _is_persons(record) else ""


def _queued(record: dict[str, Any], kind: object) -> list[str]:
    """Return the texts that came while the agent worked, in an attachment."""
    attachment = record.get("attachment") if kind == "attachment" else None
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        return []
    prompt = attachment.get("prompt")
    return [prompt] if isinstance(prompt, str) else [text_of(block.get("text")) for block in dicts_of(prompt)]


def _is_persons(record: dict[str, Any]) -> bool:
    """Return whether a person wrote this user line, and not the agent's program or the agent that started this one."""
    for mark in _NOT_PEOPLES:
        if record.get(mark) is True:
            return False
    origin = record.get("origin")
    kind = text_of(origin.get("kind")) if isinstance(origin, dict) else ""
    return kind in ("", "human", "user") and text_of(record.get("promptSource")) in _PEOPLE


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [{"type": "text", "text": content}] if isinstance(content, str) else dicts_of(content)


def _short(value: object, limit: int = 100) -> str:
    return value[:limit] if isinstance(value, str) else ""
