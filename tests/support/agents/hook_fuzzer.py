"""Hands the hook one input after the other in one process, by the entry and the descriptors that it really has.

    python -m tests.support.agents.hook_fuzzer PROJECT COUNT SEED

Prints one JSON object: `inputs`, `answers`, `resolved`, and `faults`, each with the input that led to it. Run as a
process of its own, because the hook owns the standard streams.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from ghap.local import Domain, ObservationCollector, Strategy
from ghap.local.lines import read_lines
from memorycli.hook.events import hook
from tests.support.agents.hook_inputs import CHECK, Inputs

_AGAIN = 10  # inputs between two looks at the journal
_CONTEXT_KEYS = {"hookEventName", "additionalContext"}


def main() -> None:
    """Run; the status is 0 whatever was found, which the answer says."""
    project, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    journal = project / ".claude/journal"
    begun: set[str] = set()
    faults: list[str] = []
    answers = 0
    for number, data in enumerate(itertools.islice(Inputs(seed, str(project)), count)):
        if number % _AGAIN == 0:
            begun |= begin(journal)
        said, problem = one(data)
        answers += bool(said)
        if problem:
            faults.append(f"{problem}: {data[:300]!r}")
    faults += damage(journal, begun)
    filed = [line.entry.id for path in entries_of(journal) for line in read_lines(path) if line.entry]
    print(json.dumps({"inputs": count, "answers": answers, "resolved": len(filed), "faults": faults[:20]}))


def begin(journal: Path) -> set[str]:
    """An entry whose check is among the commands of the inputs, where none is active."""

    async def create() -> str:
        collector = ObservationCollector(journal)
        current = await collector.get_current()
        if current is None:
            current = await collector.create_ghap(
                Domain.TESTING, Strategy.ASK_USER, "goal", "hypothesis", "action", "prediction", check=CHECK
            )
        return current.id

    return {asyncio.run(create())}


def one(data: bytes) -> tuple[bytes, str]:
    """What the hook answers, and what is wrong with that."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(data)
        given.seek(0)
        with standing_for(given.fileno(), 0), standing_for(out.fileno(), 1), standing_for(err.fileno(), 2):
            status = hook([])
        out.seek(0)
        err.seek(0)
        return checked(status, out.read(), err.read())


def checked(status: int, said: bytes, complained: bytes) -> tuple[bytes, str]:
    """An answer with what is wrong in it, "" where it is as promised: status 0, and an answer as agents take it."""
    if status or complained:
        return said, f"status {status}, {complained[:300]!r}"
    if not said:
        return said, ""
    try:
        answer: Any = json.loads(said)
    except ValueError:
        return said, f"no JSON: {said[:300]!r}"
    output = answer.get("hookSpecificOutput", {}) if isinstance(answer, dict) else None
    context = isinstance(output, dict) and set(output) == _CONTEXT_KEYS
    asks = isinstance(answer, dict) and set(answer) == {"decision", "reason"} and answer["decision"] == "block"
    fine = answer == {} or ((context or asks) and len(str(answer)) < 11_000)
    return said, "" if fine else f"no answer: {said[:300]!r}"


@contextlib.contextmanager
def standing_for(descriptor: int, number: int) -> Any:
    """Let `descriptor` be the standard stream `number`."""
    before = os.dup(number)
    os.dup2(descriptor, number)
    try:
        yield
    finally:
        os.dup2(before, number)
        os.close(before)


def entries_of(journal: Path) -> list[Path]:
    """The files with resolved entries."""
    return [journal / "session_entries.jsonl", *(journal / "archive").glob("*.jsonl")]


def damage(journal: Path, begun: set[str]) -> list[str]:
    """What is wrong with the journal: each entry that was begun is there once, and nothing else is."""
    found = [f"set aside: {path.name}" for path in journal.rglob("*.corrupted.*")]
    lines = [line for path in entries_of(journal) for line in read_lines(path)]
    found += [f"unreadable: {line.fault}" for line in lines if line.entry is None]
    current = asyncio.run(ObservationCollector(journal).get_current())
    there = [line.entry.id for line in lines if line.entry] + ([current.id] if current else [])
    return found if sorted(there) == sorted(begun) else [*found, f"entries: {sorted(there)} and not {sorted(begun)}"]


if __name__ == "__main__":
    main()
