"""Reads the transcripts of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.json` and, since 0.40, `.jsonl`.

The first is one JSON object that is rewritten at each turn. The other is appended to: a message that comes
again under its id replaces the one before, `{"$set": {"messages": [...]}}` replaces all, `{"$rewindTo": id}`
takes back. None of these removes a message that was read; a message's uuid is derived from its id and its text, and
that of a call or a result from the call's id, so that unchanged repetitions are recognized.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from capture.local.transcripts.lines import LONGEST_LINE
from capture.local.transcripts.long_lines import MAX_BYTES, shortened
from capture.local.transcripts.messages import Kind, Role, ToolUse
from capture.local.transcripts.reader import LinesReader, Reading, TranscriptError, existing
from capture.local.transcripts.stretch import Noted, Stretch, dicts_of, ignore_message, text_of, texts_in
from capture.local.transcripts.tools import bounded, result_of, use_of
from capture.local.transcripts.walk import Skip, ignore, walk
from capture.local.transcripts.wrappers import own_words

_CHATS = "chats"
_ROOT_FILE = ".project_root"
_EXIT_CODE = re.compile(r"^Exit Code: (\d+)\s*$", re.MULTILINE)
_FINISHED = frozenset({"success", "error", "cancelled"})


class _Stretch(Stretch):
    remembered = ("about",)

    def __init__(self, memory: dict[str, Any]) -> None:
        self.about: dict[str, str] = {}
        super().__init__(memory)

    def read_record(self, record: dict[str, Any]) -> None:
        changes = record.get("$set")
        if isinstance(changes, dict):
            self._read_session(changes)
        elif isinstance(record.get("id"), str) and "type" in record:
            self._message(record)
        elif "sessionId" in record:
            self._read_session(record)
        else:
            self.skip("$rewindTo" if "$rewindTo" in record else record.get("type"))

    def _read_session(self, session: dict[str, Any]) -> None:
        """Read the fields of a session, and its messages if it has any."""
        self.about |= {"session": text_of(session.get("sessionId"))[:100]} if session.get("sessionId") else {}
        self.about |= {"agent": "sub-agent"} if session.get("kind") == "subagent" else {}
        if not isinstance(session.get("messages"), list):
            self.skip("session")
        for message in dicts_of(session.get("messages")):
            self._message(message)

    def _message(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        words = own_words(text_of(texts_in(record.get("content"))))
        uuid = f"{text_of(record.get('id'))[:60]} {_digest(words)}"
        about = {**self.about, "time": text_of(record.get("timestamp"))[:40]}
        if kind == "user" and words and not self.about.get("agent"):
            self.add(Role.PERSON, Kind.WORDS, uuid=uuid, text=words, **about)
        elif kind == "gemini":
            calls = dicts_of(record.get("toolCalls"))
            uses = self.add_calls(*(self._use(call) for call in calls))
            message_kind = Kind.TOOL_USE if uses else Kind.WORDS if words else Kind.OTHER
            uuid += f" {_digest(*(use.id for use in uses))}" if uses else ""
            model = text_of(record.get("model"))[:100]
            self.add(Role.AGENT, message_kind, uuid=uuid, text=words, uses=uses, model=model, **about)
            for call, use in zip(calls, uses, strict=True):
                self._result(call, use, about)
        else:  # a prompt of another agent's, or a message of the program
            self.add(Role.MACHINE, Kind.OTHER, uuid=uuid, **about)

    def _use(self, call: dict[str, Any]) -> ToolUse:
        name = text_of(call.get("name"))[:100]
        return use_of(text_of(call.get("id"))[:100], name, call.get("args"), self.about.get("cwd", ""))

    def _result(self, call: dict[str, Any], use: ToolUse, about: dict[str, str]) -> None:
        status = text_of(call.get("status")).lower()
        if status not in _FINISHED:
            return
        self.use_for(use.id)
        text, failed = _result_text(call.get("result"))
        failed = failed or status == "error"
        match = _EXIT_CODE.search(text) if use.command else None
        if match and int(match[1]):
            text, failed = f"Exit code {match[1]}\n{bounded(text)}", True
        result = result_of(text, use, failed=failed, interrupted=status == "cancelled")
        uuid = f"{use.id} result" if use.id else ""
        self.add(Role.TOOL, Kind.TOOL_RESULT, uuid=uuid, results=(result,), **about)


class GeminiReader(LinesReader):
    """The reader of Gemini CLI."""

    agent_kind = "gemini"
    stretch = _Stretch

    def roots(self) -> list[Path]:
        """`tmp` in `.gemini` below `$GEMINI_CLI_HOME`, by default the home folder."""
        home = Path(os.environ.get("GEMINI_CLI_HOME") or "~").expanduser()
        return existing([home / ".gemini" / "tmp"])

    def find(self, root: Path, skip: Skip = ignore) -> Iterator[Path]:
        """`session-*` in each folder `chats`, and sub-agents' in the folders in it.

        Of a session in both forms the newer one, into which the other was copied.
        """
        for folder, folders, names in walk(root, skip):
            folders.sort()
            main, sub_agents = os.path.basename(folder) == _CHATS, os.path.basename(os.path.dirname(folder)) == _CHATS
            for name in sorted(names):
                newer = name.endswith(".jsonl")
                older = name.endswith(".json") and f"{name}l" not in names
                if (newer or older) and (sub_agents or (main and name.startswith("session-"))):
                    yield Path(folder, name)

    def transcript_id(self, path: Path) -> str:
        """Return the file's name, the same in both forms; a sub-agent's with its session's before it."""
        return path.stem if path.parent.name == _CHATS else f"{path.parent.name}-{path.stem}"

    def agent_name(self, path: Path) -> str:
        """Sub-agents have no names."""
        return "main" if path.parent.name == _CHATS else "sub-agent"

    def is_rewritten(self, path: Path) -> bool:
        """See `Reader.is_rewritten`."""
        return path.suffix == ".json"

    def read(
        self,
        file: BinaryIO,
        offset: int,
        memory: dict[str, Any],
        *,
        limit: int,
        at_rest: bool = False,
        noted: Noted = ignore_message,
    ) -> Reading:
        """See `Reader.read`; a file in the older form is read at once."""
        if "about" not in memory:
            memory = {**memory, "about": _project(file)}
        if str(file.name).endswith(".json"):
            return _read_whole(file, offset, memory, noted)
        return super().read(file, offset, memory, limit=limit, at_rest=at_rest, noted=noted)


READER = GeminiReader()


def _read_whole(file: BinaryIO, offset: int, memory: dict[str, Any], noted: Noted) -> Reading:
    """Read the whole file; nothing while it is being written, when it is not valid JSON yet."""
    size = file.seek(0, os.SEEK_END)
    if size > LONGEST_LINE:
        raise TranscriptError(f"is one JSON value of more than {LONGEST_LINE >> 20} MiB; it is skipped")
    stretch = _Stretch(memory)
    stretch.noted = noted
    if offset >= size:
        return Reading([], offset, memory)
    stretch.read_line(shortened(file, 0, size), 0, size)
    if stretch.counts.long_lines:
        raise TranscriptError(
            f"is one JSON value of more than {MAX_BYTES >> 20} MiB without its long texts; it is skipped"
        )
    whole = not stretch.counts.bad_lines
    return Reading(stretch.messages, size if whole else offset, stretch.memory() if whole else memory, stretch.counts)


def _project(file: BinaryIO) -> dict[str, str]:
    """Return where the session works, as the file beside `chats` says that the program leaves there."""
    for folder in Path(str(file.name)).parents[:3]:
        if folder.name == _CHATS:
            try:
                return {"cwd": (folder.parent / _ROOT_FILE).read_text("utf-8", "replace").strip()[:1000]}
            except OSError:  # older versions leave none
                break
    return {}


def _result_text(result: object) -> tuple[str, bool]:
    """Return the text of a call's result, and whether it is an error's."""
    texts, failed = [], False
    for part in dicts_of(result):
        answer = part.get("functionResponse")
        response = answer.get("response") if isinstance(answer, dict) else None
        fields = response if isinstance(response, dict) else {}
        failed = failed or isinstance(fields.get("error"), str)
        texts += [
            text for text in (fields.get("output"), fields.get("error"), part.get("text")) if isinstance(text, str)
        ]
    return ("\n".join(texts) if texts else texts_in(result)), failed


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()
