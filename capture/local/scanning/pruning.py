"""Takes away the states of transcripts that are long gone; what was queued of them stays in the ledger."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from capture.local.scanning.state import CaptureStateManager
from memoryserver.common import clock, files

GONE_FILE = "transcripts.gone"  # since when each transcript has been missing, and when that was looked up last
KEPT_FOR = timedelta(days=30)
LOOKED_UP_EVERY = timedelta(days=1)

_log = logging.getLogger(__name__)


def prune(states: CaptureStateManager, present: Collection[str], now: datetime) -> list[str]:
    """Take away the states of transcripts that were missing for 30 days, looked up once a day; their context ids.

    `present` are the contexts whose transcripts are known to be there. A transcript counts as missing from the
    day on which that was first seen, not from its last change. Should it come back it is read from its start,
    and the ledger knows what was queued of it. Raises OSError.
    """
    known = _load(states)
    looked_up = _time(known.get("looked_up"))
    if looked_up is not None and timedelta(0) <= now - looked_up < LOOKED_UP_EVERY:
        return []
    missing = [
        context_id
        for context_id in states.context_ids()
        if context_id not in present and not states.has_transcript(context_id)
    ]
    before = known.get("gone")
    since = before if isinstance(before, dict) else {}
    gone: dict[str, str] = {}
    pruned: list[str] = []
    for context_id in missing:
        first = _time(since.get(context_id))
        if first is None or first > now:  # the clock went back: better too late than too early
            first = now
        if now - first >= KEPT_FOR:
            states.forget(context_id)
            pruned.append(context_id)
        else:
            gone[context_id] = clock.to_text(first)
    if pruned:
        _log.info("%d states of transcripts that are gone since more than 30 days were taken away", len(pruned))
    if states.folder.is_dir():
        kept = {"looked_up": clock.to_text(now), "gone": gone}
        files.write_atomic(states.folder / GONE_FILE, json.dumps(kept), durable=False)
    return pruned


def _load(states: CaptureStateManager) -> dict[str, Any]:
    try:
        known = json.loads((states.folder / GONE_FILE).read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):  # then every transcript is missing from today on
        return {}
    return known if isinstance(known, dict) else {}


def _time(value: object) -> datetime | None:
    try:
        return clock.from_text(value) if isinstance(value, str) else None
    except ValueError:
        return None
