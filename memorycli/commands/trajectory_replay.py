"""What `memory trajectory replay` prints: where each observer would have spoken in a session that is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memorycli.commands import transcript_calls
from memorycli.errors import CommandError
from memoryserver.common import text
from trajectory.local import replay
from trajectory.local.config import resolve

MAX_BYTES = 512 << 20


def report(path: Path, project: Path, *, everything: bool) -> Iterator[str]:
    """The lines about the file at `path`, by the observers of `project`; raises CommandError for one without calls."""
    choice = resolve.observers_of(project)
    calls = calls_in(path)
    done = replay.run(calls, configs=choice.configs)
    if not done.calls:
        raise CommandError(f"{path} holds no tool calls that can be read: neither a transcript nor JSON lines of calls")
    yield f"{done.calls} calls, {len(done.spoken)} messages to the agent"
    for spoken in done.spoken:
        for found in spoken.news:
            yield f"#{spoken.call_index} told ({found.severity}) {found.observer_name}: {_line(found.summary)}"
    if everything:
        told = {(spoken.call_index, found.identity) for spoken in done.spoken for found in spoken.news}
        for index, found in done.noted:
            if (index, found.identity) not in told:
                yield f"#{index} noted ({found.severity}) {found.observer_name}: {_line(found.summary)}"
    standing = ", ".join(f"{found.observer_name} ({found.severity})" for found in done.standing)
    yield f"standing at the end: {standing or 'nothing'}"
    yield from choice.problems
    for name, memory in done.session.progress.items():
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


def _line(given: str) -> str:
    return text.shorten(text.one_line(text.printable(given)), 160)
