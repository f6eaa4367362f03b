"""Writes transcripts of any size as Claude Code does, the bytes shared out among kinds of lines as in real ones.

Of 2 MB of real transcripts results of tools were 65 % of the bytes (6 kB a line, half of it twice over in
`toolUseResult`), calls of tools 17 %, thinking 6 %, words of agents 6 % and of people 1 %, the rest notices of
the program. The same seed gives the same bytes, so two runs measure the same.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

SESSION = "5f0c8a52-7d1e-4c6b-9a3f-2b1d0e9c8a77"
CWD = "/home/dev/work/shop"
_MODULES = [
    "orders",
    "basket",
    "invoices",
    "accounts",
    "search",
    "mail",
    "queue",
    "export",
    "reports",
    "stock",
    "prices",
]
_VERBS = [
    "load",
    "save",
    "parse",
    "merge",
    "retry",
    "close",
    "count",
    "list",
    "fetch",
    "apply",
    "split",
    "check",
    "send",
]
_THINGS = [
    "row",
    "page",
    "order",
    "user",
    "token",
    "cache",
    "batch",
    "lock",
    "index",
    "cursor",
    "header",
    "field",
    "schema",
]


class Session:
    """One session's lines, made one after the other; each record has its own uuid and time."""

    def __init__(self, *, seed: int = 0, session: str = SESSION, cwd: str = CWD) -> None:
        self._chance = random.Random(f"{seed} {session}")
        self._session = session
        self._cwd = cwd
        self._number = 0

    def lines(self) -> Iterator[bytes]:
        """Lines without end, a person's turn after the other."""
        while True:
            yield self._record("user", self._said("user", " ".join(self._some(self._sentences, 1, 4))))
            for _ in range(self._chance.randint(4, 16)):
                if self._chance.random() < 0.25:
                    yield self._words("thinking", self._some(self._sentences, 5, 30))
                if self._chance.random() < 0.45:
                    yield self._words("text", self._some(self._sentences, 2, 10))
                yield from self._call()
                if self._chance.random() < 0.22:
                    yield self._notice()
            yield self._words("text", [*self._some(self._sentences, 2, 8), self._lesson()])

    def one_more(self, text: str = "") -> bytes:
        """One further line: the agent says `text`, by default something to learn that it has not said before."""
        return self._words("text", [text or self._lesson()])

    @cached_property
    def _code(self) -> list[str]:
        return [self._code_line() for _ in range(1500)]

    @cached_property
    def _logs(self) -> list[str]:
        return [self._log_line() for _ in range(1500)]

    @cached_property
    def _sentences(self) -> list[str]:
        return [self._sentence() for _ in range(600)]

    def _call(self) -> Iterator[bytes]:
        self._number += 1
        name = self._chance.choices(["Read", "Bash", "Edit", "Grep", "Write", "Task"], weights=[30, 34, 22, 8, 4, 2])[0]
        path = f"{self._cwd}/src/{self._pick(_MODULES)}/{self._pick(_VERBS)}_{self._pick(_THINGS)}.py"
        given, content, detail, failed = getattr(self, f"_{name.lower()}")(path)
        call = f"toolu_{self._number:024d}"
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        yield self._record("assistant", self._said("assistant", [block]))
        result: dict[str, Any] = {"tool_use_id": call, "type": "tool_result", "content": content}
        if failed:
            result["is_error"] = True
        yield self._record("user", self._said("user", [result]), toolUseResult=detail)

    def _read(self, path: str) -> tuple[dict[str, Any], Any, Any, bool]:
        lines = self._some(self._code, 10, 130)
        numbered = "\n".join(f"{number:6}\u2192{line}" for number, line in enumerate(lines, 1))
        file = {"filePath": path, "content": "\n".join(lines), "numLines": len(lines), "startLine": 1}
        return {"file_path": path}, numbered, {"type": "text", "file": {**file, "totalLines": len(lines)}}, False

    def _bash(self, path: str) -> tuple[dict[str, Any], Any, Any, bool]:
        command = self._pick(
            ["pytest -q src", f"git diff {path}", f"ls -la {path}", "make lint", f"grep -rn {self._pick(_THINGS)} src"]
        )
        output = "\n".join(self._some(self._logs, 1, 50))
        given = {"command": command, "description": self._pick(self._sentences)[:60]}
        if self._chance.random() < 0.08:
            error = f"Exit code 2\n{output}"
            return given, error, f"Error: {error}", True
        detail = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return given, output, detail, False

    def _edit(self, path: str) -> tuple[dict[str, Any], Any, Any, bool]:
        whole = self._some(self._code, 20, 140)
        old, new = self._some(whole, 1, 30), self._some(self._code, 1, 40)
        given = {"file_path": path, "old_string": "\n".join(old), "new_string": "\n".join(new)}
        patch = {"oldStart": 3, "oldLines": len(old), "newStart": 3, "newLines": len(new), "lines": [*old, *new]}
        detail = {
            "filePath": path, "oldString": given["old_string"], "newString": given["new_string"],
            "originalFile": "\n".join(whole), "structuredPatch": [patch], "userModified": False, "replaceAll": False,
        }  # fmt: skip
        shown = "\n".join(f"{number:6}\u2192{line}" for number, line in enumerate(new, 1))
        said = f"The file {path} has been updated. Here's the result of running `cat -n` on a snippet:\n{shown}"
        return given, said, detail, False

    def _write(self, path: str) -> tuple[dict[str, Any], Any, Any, bool]:
        content = "\n".join(self._some(self._code, 20, 150))
        detail = {"type": "create", "filePath": path, "content": content, "structuredPatch": []}
        return {"file_path": path, "content": content}, f"File created successfully at: {path}", detail, False

    def _grep(self, path: str) -> tuple[dict[str, Any], Any, Any, bool]:
        names = [f"src/{self._pick(_MODULES)}/{self._pick(_VERBS)}.py" for _ in range(self._chance.randint(1, 30))]
        detail = {"mode": "files_with_matches", "filenames": names, "numFiles": len(names)}
        return {"pattern": self._pick(_THINGS), "path": path}, "\n".join(["Found files", *names]), detail, False

    def _task(self, path: str) -> tuple[dict[str, Any], Any, Any, bool]:
        said = [{"type": "text", "text": " ".join(self._some(self._sentences, 10, 40))}]
        detail = {"status": "completed", "agentId": "a1", "content": said, "totalTokens": 31337}
        return {"description": "look", "prompt": self._pick(self._sentences)}, said, detail, False

    def _notice(self) -> bytes:
        text = " ".join(self._some(self._sentences, 1, 4))
        kind = self._chance.randrange(4)
        if kind == 0:
            attachment = {"type": "hook_additional_context", "content": [text], "hookName": "PostToolUse"}
            return self._record("attachment", None, attachment=attachment)
        if kind == 1:
            return self._record("system", None, subtype="stop_hook_summary", hookCount=1, content=text, level="info")
        if kind == 2:
            data = {"type": "bash_progress", "output": text, "fullOutput": text, "elapsedTimeSeconds": 3}
            return self._record("progress", None, data=data, toolUseID="toolu_1")
        snapshot = {"messageId": self._uuid(), "trackedFileBackups": {}, "timestamp": self._time()}
        return self._line({"type": "file-history-snapshot", "messageId": self._uuid(), "snapshot": snapshot})

    def _words(self, kind: str, sentences: list[str]) -> bytes:
        block = {"type": kind, kind: " ".join(sentences)}
        if kind == "thinking":
            block["signature"] = f"{self._chance.getrandbits(2000):x}"
        return self._record("assistant", self._said("assistant", [block]))

    def _said(self, role: str, content: Any) -> dict[str, Any]:
        if role == "user":
            return {"role": role, "content": content}
        usage = {"input_tokens": 4, "cache_read_input_tokens": 90210, "output_tokens": 311, "service_tier": "standard"}
        told = {"model": "claude-opus-4-1", "id": f"msg_{self._number:024d}", "type": "message", "role": role}
        return {**told, "content": content, "stop_reason": None, "stop_sequence": None, "usage": usage}

    def _record(self, kind: str, message: dict[str, Any] | None, **fields: Any) -> bytes:
        parent = self._uuid()
        self._number += 1
        record: dict[str, Any] = {
            "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": self._cwd,
            "sessionId": self._session, "version": "2.1.114", "gitBranch": "main", "type": kind,
        }  # fmt: skip
        if message is not None:
            record["message"] = message
        return self._line({**record, "uuid": self._uuid(), "timestamp": self._time(), **fields})

    @staticmethod
    def _line(record: dict[str, Any]) -> bytes:
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def _uuid(self) -> str:
        return f"{self._session[:8]}-0000-4000-8000-{self._number:012d}"

    def _time(self) -> str:
        hours, rest = divmod(self._number, 36_000)
        minutes, tenths = divmod(rest, 600)
        return f"2026-03-{1 + hours // 24 % 28:02}T{hours % 24:02}:{minutes:02}:{tenths // 10:02}.{tenths % 10}00Z"

    def _lesson(self) -> str:
        self._number += 1
        name = f"{self._pick(_VERBS)}_{self._pick(_THINGS)}_{self._number}"
        return f"The root cause was that `{name}()` returned None because the {self._pick(_THINGS)} was not locked."

    def _sentence(self) -> str:
        verb, thing, module = self._pick(_VERBS), self._pick(_THINGS), self._pick(_MODULES)
        return self._pick(
            [
                f"Now let me look at how `{module}` does {verb} a {thing}.",
                f"The {thing} in src/{module}/{verb}.py seems to come from the {self._pick(_MODULES)} module.",
                f"I'll {verb} the {thing} first and then run the tests again.",
                f"Please make sure that the {module} page can {verb} every {thing} without a reload.",
                f"All {self._chance.randint(2, 90)} tests pass now, so the {thing} should be fine.",
                f"We could {verb} it in `{module}.{verb}_{thing}` or leave the {thing} as it is.",
                f"That gives {self._chance.randint(2, 900)} rows for the {thing}, as {module} expects.",
            ]
        )

    def _code_line(self) -> str:
        verb, thing = self._pick(_VERBS), self._pick(_THINGS)
        return self._pick(
            [
                f"    def {verb}_{thing}(self, {thing}: str, *, limit: int = {self._chance.randint(1, 99)}) -> None:",
                f'        """{verb.title()} the {thing} of "{self._pick(_MODULES)}" and say how many there were."""',
                f"        {thing}s = [each for each in self._{thing}s if each.{verb} != '{self._pick(_THINGS)}']",
                f'        raise ValueError(f"no {thing} \\"{{{thing}!r}}\\" to {verb}\\n")',
                "",
                f"        return self._{verb}({thing}, {self._chance.randint(1, 9999)})",
                f"\t\tif err := {verb}{thing.title()}(ctx, {thing}); err != nil {{",
            ]
        )

    def _log_line(self) -> str:
        verb, thing, module = self._pick(_VERBS), self._pick(_THINGS), self._pick(_MODULES)
        return self._pick(
            [
                f"tests/{module}/test_{verb}_{thing}.py::test_{verb}_gives_the_{thing} PASSED [ {len(verb)}%]",
                f"2026-03-01 10:00:0{len(thing)},123 INFO shop.{module}: {verb} of {thing} took 0.0{len(module)} s",
                f'src/{module}/{verb}.py:{self._chance.randint(1, 999)}: error: {thing} has no attribute "{verb}"',
                f"+        return {verb}({thing})",
                f"drwxr-xr-x 2 dev dev 4096 Mar  1 10:00 {module}",
            ]
        )

    def _pick(self, among: list[str]) -> str:
        return self._chance.choice(among)

    def _some(self, among: list[str], least: int, most: int) -> list[str]:
        return self._chance.choices(among, k=self._chance.randint(least, most))


def write(path: Path, megabytes: float, *, seed: int = 0, session: str = SESSION, cwd: str = CWD) -> int:
    """Write a transcript of at least `megabytes` (10**6 bytes) to `path`; gives how many lines it has."""
    lines = written = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for line in Session(seed=seed, session=session, cwd=cwd).lines():
            if written >= megabytes * 1_000_000:
                return lines
            file.write(line)
            lines, written = lines + 1, written + len(line)
    return lines


def line_for(number: int, *, text: str = "", seed: int = 0, session: str = SESSION, cwd: str = CWD) -> bytes:
    """One more line for a transcript: the agent says `text`, by default something to learn, other for each `number`."""
    made = Session(seed=seed, session=session, cwd=cwd)
    made._number = 10**9 + 10 * number
    return made.one_more(text)
