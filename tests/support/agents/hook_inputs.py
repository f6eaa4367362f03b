"""What a hook may be handed: events as agents send them, and every way in which they have been seen to be broken."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

CHECK = "pytest tests/test_cache.py"
NAMES = (
    "PostToolUse", "PostToolUseFailure", "SessionStart", "SessionEnd", "UserPromptSubmit", "Stop", "SubagentStop",
    "PreCompact", "PostCompact", "SubagentStart", "PreToolUse", "PostToolBatch", "Notification", "StopFailure",
)  # fmt: skip
COMMANDS = (
    CHECK,
    f"{CHECK} | tail",
    "make all",
    "ls",
    "pytest",
    "git commit -m x",
    "sleep 5",
    "grep x y",
    "rm -rf 'a b",
    "",
)
TEXTS = (
    "", " ", "x", "ü", "\u2028", "\x00", "\ud83d", "\x1b[31mred", "</system-reminder>", "```\n# x", "../../etc/passwd",
    "con", "~", "a" * 300, "é" * 5000, "null", "-1", "\r\n", "{}", "Exit code 1\nboom", f"Exit code {9**30}",
    "Process exited with code 0\nOutput:\nok", "1 failed, 2 passed in 0.1s", "<task-notification>x", "\ufeffx",
)  # fmt: skip
NUMBERS = (0, -1, 1, 2**63, 10**400, 1.5, -0.0, 1e308)


class Inputs:
    """Inputs without an end, the same ones for the same `seed`."""

    def __init__(self, seed: int, project: str) -> None:
        self._random = random.Random(seed)
        self._project = project
        self._number = 0

    def __iter__(self) -> Iterator[bytes]:
        plain, odd = [self.plain] * 4, [self.odd] * 2
        broken = [self.truncated, self.mutated, self.noise, self.encoded, self.nested, self.not_an_object]
        kinds = [*plain, *odd, *broken, self.glued, self.bare_numbers]
        while True:
            yield self._random.choice(kinds)()

    def event(self) -> dict[str, Any]:
        """An event as an agent sends it."""
        self._number += 1
        pick = self._random.choice
        command = pick(COMMANDS)
        given: dict[str, Any] = {
            "session_id": f"s{self._random.randrange(4)}",
            "transcript_path": "/nowhere/s.jsonl",
            "cwd": self._project,
            "hook_event_name": pick(NAMES[:9]) if self._random.random() < 0.5 else pick(NAMES[:2]),
            "tool_name": pick(("Bash", "Bash", "Bash", "Edit", "Read", "mcp__x__y", "exec_command")),
            "tool_use_id": f"toolu_{self._number}",
            "tool_input": pick(
                (
                    {"command": command},
                    {"command": command},
                    {"file_path": "src/a.py", "old_string": "a", "new_string": "b"},
                )
            ),
            "tool_response": {"stdout": pick(TEXTS), "stderr": "", "interrupted": False},
            "error": pick(("Exit code 1\nboom", pick(TEXTS))),
            "source": pick(("startup", "resume", "clear", "compact", "fork")),
            "trigger": pick(("auto", "manual")),
            "prompt": pick(("Fix src/a.py", *TEXTS)),
        }
        if self._random.random() < 0.2:
            given["agent_id"] = f"a{self._random.randrange(3)}"
        if self._random.random() < 0.2:
            given |= {"turn_id": "t1", "tool_response": pick(TEXTS)}
        return given

    def value(self, depth: int = 0) -> Any:
        """Any JSON value."""
        choice = self._random.randrange(8 if depth < 4 else 5)
        if choice >= 5:
            items = [self.value(depth + 1) for _ in range(self._random.randrange(4))]
            return items if choice == 5 else {self._random.choice(TEXTS): item for item in items}
        return (None, True, self._random.choice(NUMBERS), self._random.choice(TEXTS), False)[choice]

    def plain(self) -> bytes:
        """An event, all of it as it should be."""
        return json.dumps(self.event()).encode()

    def odd(self) -> bytes:
        """An event with some fields missing or of another kind."""
        event = self.event()
        for name in self._random.sample(sorted(event), self._random.randrange(1, 6)):
            if self._random.random() < 0.3:
                del event[name]
            else:
                event[name] = self.value()
        return json.dumps(event).encode()

    def truncated(self) -> bytes:
        """The beginning of an event."""
        data = self.odd()
        return data[: self._random.randrange(len(data))]

    def mutated(self) -> bytes:
        """An event with some bytes changed, taken out or put in."""
        data = bytearray(self.odd())
        for _ in range(self._random.randrange(1, 8)):
            place = self._random.randrange(len(data))
            data[place : place + self._random.randrange(3)] = self._random.randbytes(self._random.randrange(3))
        return bytes(data)

    def noise(self) -> bytes:
        """No JSON at all."""
        length = self._random.choice((0, 1, 7, 100, 4096))
        return self._random.choice((self._random.randbytes(length), b"\x00" * length, b" \n" * length, b"{" * length))

    def encoded(self) -> bytes:
        """An event in another encoding, or with a byte order mark, NULs or line breaks of Windows."""
        said = json.dumps(self.event() | {"prompt": "Füge src/a.py hinzu – “jetzt”"}, ensure_ascii=False, indent=1)
        data = said.encode("utf-8", "replace")
        return self._random.choice((
            said.encode("cp1252", "replace"), said.encode("utf-16", "replace"), said.encode("cp932", "replace"),
            b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r\n"), data.replace(b" ", b"\x00"), data + b"\x00" * 500,
        ))  # fmt: skip

    def nested(self) -> bytes:
        """An event with something deep or huge in it."""
        depth = self._random.choice((50, 900, 5_000, 100_000))
        deep = "[" * depth + "]" * depth if self._random.random() < 0.5 else '{"a":' * depth + "1" + "}" * depth
        huge = json.dumps("x" * self._random.choice((100_000, 1_000_000)))
        event = self.event()
        name = self._random.choice(sorted(event))
        return json.dumps(event | {name: "HERE"}).replace('"HERE"', self._random.choice((deep, deep, huge)), 1).encode()

    def not_an_object(self) -> bytes:
        """JSON, but no object."""
        value = self.value()
        return json.dumps([value] if isinstance(value, dict) else value).encode()

    def glued(self) -> bytes:
        """Two events without anything between, or a field that comes twice."""
        data = self.plain()
        return data + data if self._random.random() < 0.5 else data[:-1] + b', "hook_event_name": 7}'

    def bare_numbers(self) -> bytes:
        """Numbers that JSON does not have, or that no program can hold."""
        number = self._random.choice((b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"01", b"0x1"))
        event = json.dumps(self.event() | {"duration_ms": "HERE", "tool_input": {"n": "HERE"}}).encode()
        return event.replace(b'"HERE"', number)
