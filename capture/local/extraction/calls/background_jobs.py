"""Commands that run in the background: how one ended is known from a later call that reads its output, or a notice."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from capture.local.transcripts.messages import Message, Outcome, ToolResult, ToolUse

_MOST = 20
_STARTED = re.compile(
    r"\A(?:Command running in background with ID: ([\w-]+)"  # Claude Code
    r"|(?:.*\n){0,5}?Process running with session ID (\d+))"  # Codex
)
_READS = {"BashOutput": "bash_id", "TaskOutput": "task_id", "KillShell": "shell_id", "write_stdin": "session_id"}
_EXIT = re.compile(r"<exit_code>(-?\d+)</exit_code>")
_PRINTED = re.compile(r"<(stdout|stderr|output)>\s*(.*?)\s*(?:</\1>|\Z)", re.DOTALL)


class BackgroundJobs:
    """The jobs of one transcript that still run; `memory` is that of the previous reading."""

    def __init__(self, memory: dict[str, Any]) -> None:
        self._jobs = {name: ToolUse.from_dict(use) for name, use in memory.get("jobs", {}).items()}
        self._reads: dict[str, str] = dict(memory.get("reads", {}))  # the jobs that calls read, by the calls' ids

    def memory(self) -> dict[str, Any]:
        """Return the memory for the next reading, as a JSON object without secrets."""
        return {"jobs": {name: use.to_dict() for name, use in self._jobs.items()}, "reads": self._reads}

    def record_uses(self, message: Message) -> None:
        """Record which jobs the calls of `message` read."""
        for use in message.uses if self._jobs else ():
            job = _job_of(use)
            if job in self._jobs:
                self._reads = dict([*self._reads.items(), (use.id, job)][-_MOST:])

    def settle(self, result: ToolResult) -> ToolResult | None:
        """Return the result that `result` settles: of the command of a job that has ended, else `result` itself.

        None for a job that still runs: nobody knows yet how it ends.
        """
        use = result.use
        if use is None or result.outcome not in (Outcome.OK, Outcome.FAILED):
            return result
        job = self._reads.pop(use.id, "") or _job_of(use)
        started = _STARTED.match(result.text) if result.text.find("running", 0, 1000) >= 0 else None
        if job not in self._jobs:
            if started is None or not use.raw_command:
                return result
            name = started[1] or started[2]
            self._jobs = dict([*self._jobs.items(), (name, use)][-_MOST:])
            return None
        ended = None if started else _ended(result)
        if ended is not None:
            ended = replace(ended, use=self._jobs.pop(job))
        return ended


def _job_of(use: ToolUse) -> str:
    """Return the id of the job whose output the call `use` reads, "" if it reads none."""
    key = _READS.get(use.name)
    value = use.tool_input.get(key) if key and isinstance(use.tool_input, dict) else None
    return str(value) if isinstance(value, str | int) else ""


def _ended(result: ToolResult) -> ToolResult | None:
    """Return the result of a job as a command of its own would have it; None if the job runs on."""
    use = result.use
    if use is not None and use.name == "write_stdin":  # of Codex, whose result has the outcome already
        return result
    match = _EXIT.search(result.text)
    if match is None:
        return None
    status = int(match[1])
    printed = "\n".join(text for _, text in _PRINTED.findall(result.text))
    if status == 0:
        return replace(result, outcome=Outcome.OK, text=printed)
    return replace(result, outcome=Outcome.FAILED, text=f"Exit code {status}\n{printed}")
