"""The output of `memory trajectory replay`: where each observer would have reported a finding in a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memorycli.commands import transcript_calls
from memorycli.errors import CommandError
from memoryserver.common import text
from trajectory.local import replay
from trajectory.local.config import resolve
from trajectory.local.engine.assessment import Assessment

MAX_BYTES = 512 << 20


def report(path: Path, project: Path, *, everything: bool) -> Iterator[str]:
    """Yield the report on the file at `path` by the observers of `project`; raises CommandError if it has no calls."""
    choice = resolve.observers_of(project)
    calls = calls_in(path)
    result = replay.run(calls, configs=choice.configs)
    if not result.calls:
        raise CommandError(f"{path} holds no tool calls that can be read: neither a transcript nor JSON lines of calls")
    yield f"{result.calls} calls, {len(result.notifications)} messages to the agent"
    for notification in result.notifications:
        for finding in notification.news:
            yield _finding_line(notification.call_index, "told", finding)
    if everything:
        notified = {
            (notification.call_index, finding.identity)
            for notification in result.notifications
            for finding in notification.news
        }
        for index, finding in result.noted:
            if (index, finding.identity) not in notified:
                yield _finding_line(index, "noted", finding)
    open_findings = ", ".join(f"{finding.observer_name} ({finding.severity})" for finding in result.open_findings)
    yield f"open findings at the end: {open_findings or 'none'}"
    yield from choice.problems
    for name, memory in result.session.progress.items():
        if memory.failures:
            yield f"observer {name} failed {memory.failures} times, last: {memory.last_failure}"


def calls_in(path: Path) -> list[dict[str, Any]]:
    """Return the calls of the file, in whichever form it has them; raises CommandError where it is too large."""
    if path.stat().st_size > MAX_BYTES:
        raise CommandError(f"{path} is larger than {MAX_BYTES >> 20} MiB; cut it into parts")
    plain = list(replay.from_jsonl(path.read_bytes()))
    if plain:
        return plain

    return transcript_calls.calls_of(path)


def _finding_line(call_index: int, verb: str, finding: Assessment) -> str:
    summary = text.shorten(text.one_line(text.printable(finding.summary)), 160)
    return f"#{call_index} {verb} ({finding.severity}) {finding.observer_name}: {summary}"
