"""The observers' memory of a session as a JSON object: the same on a laptop's disk and in the server's table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memoryserver.common import clock
from trajectory.local.engine import matters, progress
from trajectory.local.engine.matters import NotificationState
from trajectory.local.engine.progress import ObserverProgress
from trajectory.local.engine.session import ObserverState, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def to_row(session: Session) -> dict[str, Any]:
    """Return the memory of `session`.

    Keys: `started`, `state` (totals, as ObserverState), `observers`, `telling`, `observed`, `written`, `write_failure`.
    """
    totals = session[ObserverState].latest() or ObserverState()
    last = totals.last_assessment_time
    return {
        "started": session.started and clock.to_text(session.started),
        "state": vars(totals) | {"last_assessment_time": last and clock.to_text(last)},
        "observers": {key: progress.to_row(memory) for key, memory in session.progress.items()},
        "telling": matters.to_row(session.notifications),
        "observed": session.observed,
        "written": session.written,
        "write_failure": session.write_failure,
    }


def restore(session: Session, row: Mapping[str, Any]) -> None:
    """Set the memory of `session` from a row that `to_row` made.

    If any part of the row is damaged, the whole memory starts empty: counters and totals belong together. Only
    `written` is read by itself.
    """
    try:
        memories, totals, started, notifications = _read(row)
        session.observed = int(row.get("observed") or 0)
    except (ValueError, TypeError, KeyError, AttributeError):
        memories, totals, started, notifications = {}, ObserverState(), None, NotificationState()
        session.observed = 0
    session.progress, session.started, session.notifications = memories, started, notifications
    session[ObserverState].seed(totals)
    session.written = {str(path): str(digest) for path, digest in table(row, "written").items()}


def table(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the object at `key`, empty where there is none."""
    value = row.get(key)
    return value if isinstance(value, dict) else {}


def _read(
    row: Mapping[str, Any],
) -> tuple[dict[str, ObserverProgress], ObserverState, datetime | None, NotificationState]:
    memories = {key: progress.from_row(memory) for key, memory in table(row, "observers").items()}
    notifications = matters.from_row(table(row, "telling"))
    return memories, _totals(table(row, "state")), _time(row.get("started")), notifications


def _totals(row: dict[str, Any]) -> ObserverState:
    return ObserverState(**row | {"last_assessment_time": _time(row.get("last_assessment_time"))})


def _time(value: object) -> datetime | None:
    return clock.from_text(value) if isinstance(value, str) else None
