"""Runs of agents with the labels that people gave them, read from a folder of real ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorycli.commands.replay import transcript_calls
from trajectory.local import RecordToolCall, Session, ToolCallRecord, replay
from trajectory.local.calls import record as records
from trajectory.local.calls.row import row_of

Calls = Sequence[dict[str, Any]]
LOOPS = re.compile(r"thrash|loop|cascade", re.IGNORECASE)


@dataclass(frozen=True)
class Run:
    """One run of an agent; `loops` is None where the labels are too few to say."""

    name: str
    calls: Calls
    loops: bool | None


def load(data: Path) -> list[Run]:
    """The runs below `data`; none where there is no such folder."""
    manifest = data / "trajectories/MANIFEST.md"
    shown = re.findall(r"^\| (\S+\.jsonl) \|(.*)$", manifest.read_text(), re.MULTILINE) if manifest.exists() else []
    said = {name: row.split("|")[4] for name, row in shown if row.count("|") > 4}
    runs = []
    for path in sorted((data / "trajectories").glob("*.jsonl")):
        content = path.read_bytes()
        repeated = content.count(b'"rel_to_prev": "Repetition"') + content.count(b'"rel_to_prev":"Repetition"')
        stuck = repeated >= 2 or bool(LOOPS.search(said.get(path.name, "")))
        runs.append(Run(path.stem, list(replay.from_jsonl(content)), stuck or (None if repeated else False)))
    for path in sorted((data / "transcripts").glob("*.jsonl")):
        runs += supervised(path)
    return runs


def supervised(path: Path) -> list[Run]:
    """The runs in a transcript, of the session's agent and of its sub-agents; all healthy, if they are long enough."""
    by_agent: dict[str, list[dict[str, Any]]] = {}
    for call in transcript_calls.calls_of(path):
        by_agent.setdefault(call["agent_id"], []).append(call)
    return [Run(f"{path.stem} {agent}".rstrip(), calls, False) for agent, calls in by_agent.items() if len(calls) >= 5]


def recorded(calls: Calls) -> list[ToolCallRecord]:
    """Return `calls` as a session records them."""
    session = Session()
    for given in calls:
        session.dispatch(RecordToolCall(records.from_row(row_of(given))))
    return list(session[ToolCallRecord].all())
