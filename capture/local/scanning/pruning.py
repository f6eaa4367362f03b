"""Deletes the states of transcripts that have been missing for long, and corrupt states after as long.

The learnings of both stay in the ledger.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from capture.local.scanning.state import CaptureStateManager
from memoryserver.common import clock, files

GONE_FILE = "transcripts.gone"  # since when each transcript is missing, and when that was checked last
RETENTION = timedelta(days=30)
CHECK_INTERVAL = timedelta(days=1)

_log = logging.getLogger(__name__)


def prune(states: CaptureStateManager, present: Collection[str], now: datetime) -> list[str]:
    """Delete the states of transcripts missing for 30 days, checked once a day; return their context ids.

    `present` are the ids of transcripts that exist. A transcript counts as missing from the
    day on which that was first seen, not from its last change. If it comes back it is read from its start,
    and the ledger recognizes its queued learnings. Raises OSError.
    """
    content = _load(states)
    checked_at = _time(content.get("looked_up"))
    if checked_at is not None and timedelta(0) <= now - checked_at < CHECK_INTERVAL:
        return []
    missing = [
        context_id
        for context_id in states.context_ids()
        if context_id not in present and not states.has_transcript(context_id)
    ]
    previous = content.get("gone")
    missing_since = previous if isinstance(previous, dict) else {}
    gone = {context_id: _first_missing(missing_since.get(context_id), now) for context_id in missing}
    pruned = [context_id for context_id, first in gone.items() if now - first >= RETENTION]
    for context_id in pruned:
        states.forget(context_id)
        del gone[context_id]
    _delete_damaged(states, now)
    if pruned:
        _log.info("deleted the states of %d transcripts that have been missing for 30 days", len(pruned))
    if states.folder.is_dir():
        updated = {
            "looked_up": clock.to_text(now),
            "gone": {name: clock.to_text(first) for name, first in gone.items()},
        }
        files.write_atomic(states.folder / GONE_FILE, json.dumps(updated), durable=False)
    return pruned


def _delete_damaged(states: CaptureStateManager, now: datetime) -> None:
    """Delete corrupt states that were set aside 30 days ago or earlier."""
    for path in states.damaged():
        if now.timestamp() - path.stat().st_mtime >= RETENTION.total_seconds():
            path.unlink(missing_ok=True)


def _load(states: CaptureStateManager) -> dict[str, Any]:
    try:
        content = json.loads((states.folder / GONE_FILE).read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):  # every transcript then counts as missing from today on
        return {}
    return content if isinstance(content, dict) else {}


def _first_missing(recorded: object, now: datetime) -> datetime:
    """Return when it was seen first; if the clock was set back, delete too late rather than too early."""
    first = _time(recorded)
    return now if first is None or first > now else first


def _time(value: object) -> datetime | None:
    try:
        return clock.from_text(value) if isinstance(value, str) else None
    except ValueError:
        return None
