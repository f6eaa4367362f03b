"""Hooks as agents find them in their settings, run them and read their answers."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT_SECONDS = 600.0
CONTEXT_AT = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"})
PLAIN_TEXT_AT = frozenset({"SessionStart", "UserPromptSubmit"})
_ANSWERS = frozenset({"continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"})

Kill = Callable[[], float | None]


@dataclass(frozen=True)
class Ran:
    """How a hook ended: `killed` by the story, not for its time."""

    status: int
    out: str
    err: str
    killed: bool = False


class Hooks:
    """The hooks in some files of settings, each with the further variables of its environment."""

    def __init__(self, *files: tuple[Path, Mapping[str, str]]) -> None:
        self._sources = [
            (json.loads(path.read_text("utf-8"))["hooks"], variables) for path, variables in files if path.exists()
        ]

    def of(self, event: str, subject: str = "") -> list[tuple[dict[str, Any], Mapping[str, str]]]:
        """Those of an event whose matcher takes `subject`: what is twice in the settings runs once, a plugin's too."""
        found: list[tuple[dict[str, Any], Mapping[str, str]]] = []
        for events, variables in self._sources:
            for group in events.get(event, []):
                if _matches(str(group.get("matcher", "")), subject):
                    found += [(hook, variables) for hook in group["hooks"] if (hook, variables) not in found]
        return found

    @property
    def events(self) -> set[str]:
        return {event for events, _ in self._sources for event in events}


def _matches(matcher: str, subject: str) -> bool:
    if matcher in ("", "*"):
        return True
    if re.fullmatch(r"[A-Za-z0-9_\- ,|]+", matcher):
        return subject in re.split(r"[,|]\s*", matcher)
    return re.search(matcher, subject) is not None


@dataclass(frozen=True)
class Runner:
    """Runs hooks in `folder`. Standard input is closed after the event unless `leaves_open`.

    `kill`, asked before each run, gives the seconds after which the hook is killed, None to let it live.
    """

    environment: Mapping[str, str]
    folder: Path
    leaves_open: bool = False
    kill: Kill | None = None
    shell: Sequence[str] = ("/bin/sh", "-c")

    def run(self, hook: dict[str, Any], variables: Mapping[str, str], event: dict[str, Any]) -> Ran:
        """What came of it; at its time limit it is killed, with all that it holds, and that fails the test."""
        data = json.dumps(event).encode()
        if hook["type"] == "http":
            return self._post(hook, data)
        args = hook.get("args")
        words = [*self.shell, hook["command"]] if args is None else [hook["command"], *args]
        reading, writing = os.pipe()
        process = subprocess.Popen(
            words,
            stdin=reading,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.environment, **variables},
            cwd=self.folder,
            start_new_session=True,
        )
        os.close(reading)
        try:
            with open(writing, "wb", buffering=0, closefd=False) as pipe:
                pipe.write(data)
            if not self.leaves_open:
                os.close(writing)
            return self._end(process, hook)
        finally:
            if self.leaves_open:
                os.close(writing)

    def _end(self, process: subprocess.Popen[bytes], hook: dict[str, Any]) -> Ran:
        """Wait as agents do, not for the process only but until nobody holds its output."""
        after = self.kill() if self.kill else None
        if after is not None:
            time.sleep(after)
            os.killpg(process.pid, signal.SIGKILL)
        try:
            out, err = process.communicate(timeout=hook.get("timeout", DEFAULT_SECONDS))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise AssertionError(f"the hook held its agent up to its limit: {hook}") from None
        return Ran(process.returncode, out.decode(), err.decode(), killed=process.returncode == -signal.SIGKILL)

    def _post(self, hook: dict[str, Any], data: bytes) -> Ran:
        allowed = hook.get("allowedEnvVars", [])
        headers = {name: self._filled(value, allowed) for name, value in hook["headers"].items()}
        request = urllib.request.Request(hook["url"], data, {"Content-Type": "application/json", **headers})
        with urllib.request.urlopen(request, timeout=hook.get("timeout", DEFAULT_SECONDS)) as answer:
            return Ran(0, answer.read().decode(), "")

    def _filled(self, value: str, allowed: list[str]) -> str:
        def variable(found: re.Match[str]) -> str:
            return self.environment.get(found[1], "") if found[1] in allowed else ""

        return re.sub(r"\$\{?(\w+)\}?", variable, value)


def told(event: str, ran: Ran) -> str:
    """What an answer puts before the model; an answer that the agent would complain of fails the test."""
    if ran.killed:
        return ""
    assert (ran.status, ran.err) == (0, ""), ran
    said = ran.out.strip()
    if not said.startswith("{"):
        assert said == "" or event in PLAIN_TEXT_AT, said
        return said
    answer = json.loads(said)
    assert set(answer) <= _ANSWERS, answer
    output = answer.get("hookSpecificOutput")
    if output is None:
        return ""
    assert event in CONTEXT_AT, f"{event} takes no context: {answer}"
    assert set(output) == {"hookEventName", "additionalContext"}, output
    assert output["hookEventName"] == event
    context = output["additionalContext"]
    assert isinstance(context, str)
    assert 0 < len(context) <= 10_000
    return context
