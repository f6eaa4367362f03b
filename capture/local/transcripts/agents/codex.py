"""Reads the transcripts of Codex CLI: `rollout-TIME-UUID.jsonl`, compressed to `.jsonl.zst` when they are old.

Each line is `{timestamp, type, payload}`. What people and the agent say is recorded twice, as an event (since
0.147 as a completed item) and as an item for the model; the item of a person's turn may also be injected context.
Messages have no ids: a message's uuid is derived from its text and the texts before it, and so is the same where a
fork, a sub-agent or a resumed session writes its parent's lines down again under new times.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from capture.local.transcripts import compressed
from capture.local.transcripts.codex_items import SPEAKERS, call_in
from capture.local.transcripts.codex_outputs import result_from
from capture.local.transcripts.lines import records_of
from capture.local.transcripts.messages import Kind, Role
from capture.local.transcripts.reader import LinesReader, existing
from capture.local.transcripts.stretch import Stretch, dicts_of, text_of, texts_in
from capture.local.transcripts.tools import use_of
from capture.local.transcripts.walk import Skip, ignore, walk
from capture.local.transcripts.wrappers import own_words

_MAX_UNPAIRED = 20
_MAX_CALLS = 100
_SCRIPT = "exec"  # the tool that runs a script of the model, which calls other tools
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_COMPACTIONS = frozenset({"compacted", "context_compacted"})
_HEAD = 256 * 1024  # bytes in which the first line of a transcript ends


class _Stretch(Stretch):
    remembered = ("about", "unpaired", "before", "compacted_by", "scripts", "calls")

    def __init__(self, memory: dict[str, Any]) -> None:
        self.about: dict[str, str] = {}  # session, cwd, branch, model; agent, if it is a sub-agent
        self.unpaired: dict[str, int] = {}  # how often more words have come as event (as item: below 0)
        self.before = ""  # a digest of the last text
        self.compacted_by = ""
        self.scripts: dict[str, int] = {}  # scripts that run, and how many calls each has made
        self.calls: list[str] = []  # the last calls of the model, whose items are not read
        super().__init__(memory)

    def read_record(self, record: dict[str, Any]) -> None:
        payload = record.get("payload")
        kind = record.get("type")
        if not isinstance(payload, dict):  # the oldest form: the items themselves
            kind, payload = "response_item", record
        name = text_of(payload.get("type")) or text_of(kind)
        time = text_of(record.get("timestamp"))[:40]
        if kind in ("session_meta", "turn_context"):
            self._read_session(kind, payload)
        elif kind in _COMPACTIONS or name in _COMPACTIONS:
            self._compaction(kind if kind in _COMPACTIONS else name, time)
        elif kind == "event_msg":
            self._event(name, payload, time)
        elif kind == "response_item":
            self._item(name, payload, time)
        else:
            self.skip(kind)

    def _read_session(self, kind: object, payload: dict[str, Any]) -> None:
        """Record the fields of the session: a parent's, which comes again in a fork's transcript, is not its own."""
        self.skip(kind)
        if kind == "session_meta" and "session" in self.about:
            return
        git = payload.get("git")
        fields = {
            "session": text_of(payload.get("id"))[:100] if kind == "session_meta" else "",
            "cwd": text_of(payload.get("cwd"))[:1000],
            "branch": text_of(git.get("branch"))[:200] if isinstance(git, dict) else "",
            "model": text_of(payload.get("model"))[:100],
            "agent": _sub_agent(payload),
            "script": "yes" if payload.get("source") in ("exec", "mcp") else "",
        }
        self.about |= {name: value for name, value in fields.items() if value}

    def _compaction(self, kind: str, time: str) -> None:
        """Lines of both kinds report one compaction; what they repeat of the history is not read."""
        if self.compacted_by not in ("", kind):
            self.compacted_by = ""
            self.skip(kind)
            return
        self.compacted_by = kind
        self._add(Role.MACHINE, Kind.COMPACTION, time)

    def _event(self, name: str, payload: dict[str, Any], time: str) -> None:
        if name == "user_message" and payload.get("kind") in (None, "plain"):
            self.about["words"] = "event"
            self._add_words(Role.PERSON, "event", text_of(payload.get("message")), time)
        elif name == "agent_message":
            self.about["words"] = "event"
            self._add_words(Role.AGENT, "event", text_of(payload.get("message")), time)
        elif name == "item_completed":
            item = payload.get("item")
            self._completed(item if isinstance(item, dict) else {}, time)
        elif name == "turn_aborted" and payload.get("reason") == "interrupted" and self._by_a_person():
            self._add(Role.PERSON, Kind.INTERRUPTION, time)
        else:
            self.skip(name)

    def _completed(self, item: dict[str, Any], time: str) -> None:
        """Read what took the place of the events for words, and the calls that scripts of the model make."""
        kind = text_of(item.get("type"))
        role = SPEAKERS.get(kind)
        if role is not None and self.about.get("words") != "event":
            self._add_words(role, "event", texts_in(item.get("content")), time)
            return
        call = call_in(item, self.about.get("cwd", ""))
        if call is None or call[0].id in self.calls:
            self.skip(kind or "item_completed")
            return
        use, result = call
        self.scripts = {script: calls + 1 for script, calls in self.scripts.items()}
        self._add(Role.AGENT, Kind.TOOL_USE, time, uuid=use.id, uses=(use,))
        self._add(Role.TOOL, Kind.TOOL_RESULT, time, uuid=f"{use.id} result" if use.id else "", results=(result,))

    def _item(self, name: str, payload: dict[str, Any], time: str) -> None:
        call = text_of(payload.get("call_id") or payload.get("id"))[:100]
        if name == "message":
            texts = [own_words(text_of(part.get("text"))) for part in dicts_of(payload.get("content"))]
            role = {"user": Role.PERSON, "assistant": Role.AGENT}.get(text_of(payload.get("role")))
            if role is None:
                self.skip("message of the program")
            else:
                self._add_words(role, "item", "\n\n".join(filter(None, texts)), time)
        elif name in _CALLS:
            self._call(call, name, payload, time)
        elif name in _RESULTS:
            self._call_output(call, payload, time)
        else:
            self.skip(name)

    def _call(self, call: str, name: str, payload: dict[str, Any], time: str) -> None:
        """Read a call of the model; that of a script waits until it is known whether its own calls are recorded."""
        tool = text_of(payload.get("name"))[:100] or name.removesuffix("_call")
        arguments = _arguments(name, payload)
        self.calls = [*self.calls, call][-_MAX_CALLS:]
        uses = self.add_calls(use_of(call, tool, arguments, self.about.get("cwd", "")))
        if tool == _SCRIPT and isinstance(arguments, str) and call:
            self.scripts[call] = 0
        else:
            self._add(Role.AGENT, Kind.TOOL_USE, time, uuid=call, uses=uses)

    def _call_output(self, call: str, payload: dict[str, Any], time: str) -> None:
        use = self.use_for(call)
        calls = self.scripts.pop(call, None)
        if calls:
            self._add(Role.MACHINE, Kind.OTHER, time, uuid=f"{call} result")
            return
        if calls == 0 and use is not None:
            self._add(Role.AGENT, Kind.TOOL_USE, time, uuid=call, uses=(use,))
        results = (result_from(payload.get("output"), use),)
        self._add(Role.TOOL, Kind.TOOL_RESULT, time, uuid=f"{call} result" if call else "", results=results)

    def _add_words(self, role: Role, layer: str, text: str, time: str) -> None:
        """Words, once: whichever of the two layers has them first."""
        words = own_words(text)
        if not words:
            self._add(Role.MACHINE, Kind.OTHER, time)
            return
        key, step = _digest(role, words), 1 if layer == "event" else -1
        ahead = self.unpaired.pop(key, 0)
        if ahead != -step:
            self.unpaired[key] = ahead + step
        if ahead * step < 0:
            self.skip("the same words again")
            return
        if len(self.unpaired) > _MAX_UNPAIRED:
            del self.unpaired[next(iter(self.unpaired))]
        uuid, self.before = _digest(self.before, key), key
        if role == Role.PERSON and not self._by_a_person():
            self._add(Role.MACHINE, Kind.OTHER, time, uuid=uuid)
        else:
            self._add(role, Kind.WORDS, time, uuid=uuid, text=words)

    def _by_a_person(self) -> bool:
        """Return whether a person writes the prompts, and not another agent or a program that runs `codex exec`."""
        return not (self.about.get("agent") or self.about.get("script"))

    def _add(self, role: Role, kind: Kind, time: str, **fields: Any) -> None:
        if kind != Kind.COMPACTION:
            self.compacted_by = ""
        about = {name: self.about.get(name, "") for name in ("session", "cwd", "branch", "agent")}
        model = self.about.get("model", "") if role == Role.AGENT else ""
        self.add(role, kind, time=time, model=model, **about, **fields)


class CodexReader(LinesReader):
    """The reader of Codex CLI."""

    agent_kind = "codex"
    stretch = _Stretch

    def roots(self) -> list[Path]:
        """`sessions` and `archived_sessions` in `$CODEX_HOME`, by default `~/.codex`."""
        home = Path(os.environ.get("CODEX_HOME") or "~/.codex").expanduser()
        return existing([home / "sessions", home / "archived_sessions"])

    def find(self, root: Path, skip: Skip = ignore) -> Iterator[Path]:
        """Yield every `rollout-*.jsonl` and `.jsonl.zst` below `root`; of both forms the uncompressed one."""
        for folder, folders, names in walk(root, skip):
            folders.sort()
            plain = set(names)
            for name in sorted(names):
                if name.startswith("rollout-") and (
                    name.endswith(".jsonl") or (name.endswith(".jsonl.zst") and name.removesuffix(".zst") not in plain)
                ):
                    yield Path(folder, name)

    def transcript_id(self, path: Path) -> str:
        """Return the file's name, which stays the same when it is archived or compressed."""
        return path.name.removesuffix(".zst").removesuffix(".jsonl").removeprefix("rollout-")

    def agent_name(self, path: Path) -> str:
        """Return the role that a sub-agent was given, "main" for all others."""
        with compressed.stream(path) if path.suffix == ".zst" else path.open("rb") as file:
            records, _ = records_of(file.read(_HEAD).partition(b"\n")[0])
        payload = records[0].get("payload") if records else None
        return (_sub_agent(payload) if isinstance(payload, dict) else "") or "main"

    def open(self, path: Path) -> BinaryIO:
        """See `Reader.open`."""
        return compressed.decompressed(path) if path.suffix == ".zst" else path.open("rb")


READER = CodexReader()


def _sub_agent(payload: dict[str, Any]) -> str:
    source = payload.get("source")
    started = source.get("subagent") if isinstance(source, dict) else None
    if started is None:
        return ""
    spawned = started.get("thread_spawn") if isinstance(started, dict) else None
    roles = [spawned.get(key) for key in ("agent_role", "agent_nickname")] if isinstance(spawned, dict) else [started]
    return next((role[:100] for role in roles if isinstance(role, str) and role), "sub-agent")


def _arguments(name: str, payload: dict[str, Any]) -> object:
    """Return the arguments of a tool: JSON in a string, or for a shell of the older kind an object."""
    if name == "local_shell_call":
        return payload.get("action")
    arguments = payload.get("arguments", payload.get("input"))
    if isinstance(arguments, str) and arguments.lstrip().startswith("{"):
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
    return arguments


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()
