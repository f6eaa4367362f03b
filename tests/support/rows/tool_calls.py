"""Tool calls and a project to record them in, as the tests of trajectories need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from trajectory.local import (
    Assessment,
    ObserverConfig,
    ObserverContext,
    ObserverState,
    ProjectFiles,
    RecordToolCall,
    Session,
    ToolCallRecord,
    after_tool_call,
)

START = datetime(2026, 1, 15, 14, 32, tzinfo=UTC)


def ok(tool: str = "Read", params: str = "path=src/a.py", **fields) -> ToolCallRecord:
    return ToolCallRecord(tool, params, True, **fields)


def failed(tool: str = "Bash", params: str = "command=make", error: str = "boom", **fields) -> ToolCallRecord:
    return ToolCallRecord(tool, params, False, error, **fields)


def session_of(*records: ToolCallRecord) -> Session:
    session = Session()
    for record in records:
        session.dispatch(RecordToolCall(record))
    return session


def context_of(session: Session, *, since: int = 100) -> ObserverContext:
    return ObserverContext(session, ProjectFiles(Path("/nonexistent")), ObserverState(since), START)


@dataclass(frozen=True)
class Declared:
    """A prompt with its observers."""

    observers: Sequence[ObserverConfig]


class Run:
    """A session at work in a project: one call after the other, a second apart."""

    def __init__(self, root: Path, *configs: ObserverConfig) -> None:
        self.session = Session()
        self.files = ProjectFiles(root)
        self.prompt = Declared(configs)
        self.now = START

    def call(self, record: ToolCallRecord, *, after: float = 1.0) -> tuple[Assessment, ...]:
        self.now += timedelta(seconds=after)
        return after_tool_call(record, session=self.session, prompt=self.prompt, filesystem=self.files, now=self.now)

    def calls(self, *records: ToolCallRecord) -> list[int]:
        """The numbers of the calls after which the agent was told something."""
        return [number for number, record in enumerate(records, 1) if self.call(record)]

    def written(self, path: str = ".wink/trajectory/assessment.md") -> str:
        return self.files.read_text(path) if self.files.exists(path) else ""
