"""Tool calls with arguments and results that are compared, and what one observer finds in them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from tests.support.rows.tool_calls import START, session_of
from trajectory.local import Assessment, ObserverContext, ObserverState, ProjectFiles, ToolCallRecord
from trajectory.local.engine.context import TrajectoryObserver

_NOWHERE = ProjectFiles(Path("/nonexistent"))


def call(tool: str, arguments: str, result: str, **fields: Any) -> ToolCallRecord:
    """A call that succeeded; two are the same by equal arguments, two results by equal text."""
    known: dict[str, Any] = {"args_hash": arguments, "result_key": result, "result_head": result}
    return ToolCallRecord(tool, arguments, True, **known | fields)


def error(tool: str, arguments: str, message: str, **fields: Any) -> ToolCallRecord:
    """A call that failed with `message`."""
    known: dict[str, Any] = {"args_hash": arguments, "result_key": message, "says": "failure"}
    return ToolCallRecord(tool, arguments, False, message, **known | fields)


def edit(path: str = "a.py", before: str = "old", after: str = "new", **fields: Any) -> ToolCallRecord:
    """One text of a file put in place of another."""
    known: dict[str, Any] = {"kind": "write", "changes": True, "paths": (path,), "edits": ((path, before, after),)}
    return call("Edit", f"{path}: {before} -> {after}", "updated", **known | fields)


def others(n: int) -> list[ToolCallRecord]:
    """`n` calls that have nothing to do with any other."""
    return [call(f"Other{k}", f"other {k}", f"answer {k}") for k in range(n)]


def observe(
    observer: TrajectoryObserver,
    *records: ToolCallRecord,
    ignore_evidence_before: int = 0,
    due: bool = True,
    now: datetime = START,
) -> Assessment:
    """What `observer` finds after `records`."""
    session = session_of(*records)
    session.started = records[0].timestamp if records else None
    context = ObserverContext(
        session, _NOWHERE, ObserverState(100), now, due=due, ignore_evidence_before=ignore_evidence_before
    )
    return observer.observe(session, context=context)


def runs_after(observer: TrajectoryObserver, *records: ToolCallRecord) -> bool:
    """Return whether `observer` wants to run after `records`."""
    session = session_of(*records)
    context = ObserverContext(session, _NOWHERE, ObserverState(100), START)
    return observer.should_run(session, context=context)


def is_silent(observer: TrajectoryObserver, *records: ToolCallRecord, ignore_evidence_before: int = 0) -> bool:
    """Return whether `observer` finds nothing after `records`."""
    return not observe(observer, *records, ignore_evidence_before=ignore_evidence_before).says_something
