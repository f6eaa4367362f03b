"""Runs recorded calls through the observers, to see where each would have reported a finding."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from memoryserver.common import clock
from trajectory.local.calls import parse
from trajectory.local.calls import record as records
from trajectory.local.calls.row import row_of
from trajectory.local.config.defaults import DEFAULT_OBSERVERS
from trajectory.local.engine import context_section
from trajectory.local.engine.assessment import Assessment
from trajectory.local.engine.runner import run_observers
from trajectory.local.engine.session import RecordToolCall, Session
from trajectory.local.engine.triggers import ObserverConfig

_STEP = timedelta(seconds=10)  # between calls that say no time
_START = clock.from_text("2000-01-01T00:00:00Z")


@dataclass(frozen=True)
class Notification:
    """The findings that the agent would have been notified of after one call, and the text of the message."""

    call_index: int
    news: tuple[Assessment, ...]
    text: str


@dataclass
class Replay:
    """The result of a replay of one trajectory, that of `agent` ("" for the session's own agent).

    `noted` are all findings, by the call at which each began or changed.
    """

    agent: str = ""
    session: Session = field(default_factory=Session)
    notifications: list[Notification] = field(default_factory=list)
    noted: list[tuple[int, Assessment]] = field(default_factory=list)
    calls: int = 0
    refused: int = 0

    @property
    def open_findings(self) -> list[Assessment]:
        """Return the open findings at the end."""
        return [memory.standing for memory in self.session.progress.values() if memory.standing]


class MemoryFilesystem:
    """A Filesystem in memory."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}

    def exists(self, path: str) -> bool:
        """Return whether something was written at `path`."""
        return path in self._files

    def mkdir(self, path: str, *, parents: bool = False) -> None:
        """Do nothing: there are no folders."""

    def read_text(self, path: str) -> str:
        """Return what was written at `path`; raises KeyError where nothing was."""
        return self._files[path]

    def write_text(self, path: str, content: str) -> None:
        """Keep `content`."""
        self._files[path] = content


def run_each(calls: Iterable[dict[str, Any]], *, configs: Sequence[ObserverConfig] = DEFAULT_OBSERVERS) -> list[Replay]:
    """Replay `calls` as `run` does, those of each agent by themselves: a sub-agent has a trajectory of its own.

    The first is the session's own, even without a call.
    """
    by_agent: dict[str, list[dict[str, Any]]] = {"": []}
    for call in calls:
        agent = call.get("agent_id")
        by_agent.setdefault(agent if isinstance(agent, str) else "", []).append(call)
    return [replace(run(own, configs=configs), agent=agent) for agent, own in by_agent.items()]


def run(
    calls: Iterable[dict[str, Any]], *, configs: Sequence[ObserverConfig] = DEFAULT_OBSERVERS, root: str = ""
) -> Replay:
    """Replay `calls`, each in a form that `calls.parse` reads; what is not a call is counted and passed over.

    A call that comes again under its `tool_use_id`, as in a resumed transcript, is taken once. Calls without a
    `timestamp` are taken to be ten seconds apart.
    """
    replay, files, seen = Replay(), MemoryFilesystem(), set[str]()
    moment = _START
    for call_json in calls:
        try:
            row = row_of(call_json, root=root)
        except parse.CallError:
            replay.refused += 1
            continue
        if row["tool_use_id"] and row["tool_use_id"] in seen:
            continue
        seen.add(str(row["tool_use_id"]))
        record = records.from_row(row)
        moment = record.timestamp if call_json.get("timestamp") else moment + _STEP
        call = replay.session.dispatch(RecordToolCall(replace(record, timestamp=moment)))
        _run_observers(replay, files, call, configs)
    return replay


def _run_observers(
    replay: Replay, files: MemoryFilesystem, call: records.ToolCallRecord, configs: Sequence[ObserverConfig]
) -> None:
    before = {(finding.identity, finding.severity) for finding in replay.open_findings}
    news = run_observers(replay.session, configs, files, now=call.timestamp)
    replay.calls += 1
    replay.noted += [
        (call.call_index, finding)
        for finding in replay.open_findings
        if (finding.identity, finding.severity) not in before
    ]
    if news:
        replay.notifications.append(Notification(call.call_index, news, context_section.context_for(news)))


def from_jsonl(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the calls of a file of one JSON object a line, in a form that `calls.parse` reads.

    Taken are those forms themselves and `{"tool": ..., "args": ..., "result": ...}`, with `error` and `success`
    where they are known. Lines that are neither are passed over.
    """
    for line in data.split(b"\n"):
        try:
            call_json = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(call_json, dict) and isinstance(call_json.get("tool_name"), str):
            yield call_json
        elif isinstance(call_json, dict) and isinstance(call_json.get("tool"), str):
            known = {key: value for key, value in call_json.items() if key not in ("tool", "args", "i")}
            yield known | {"tool_name": call_json["tool"], "tool_input": call_json.get("args")}
