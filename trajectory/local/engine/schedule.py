"""The plan of when the next observer is due, saved after every run so that a quiet call need not load any.

A plan may be early, never late: the triggers themselves decide again about what it calls due. A changed set of
observers is seen when the next plan is made.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from trajectory.local.engine.progress import ObserverProgress
    from trajectory.local.engine.session import Session
    from trajectory.local.engine.triggers import ObserverConfig, ObserverTrigger


def make(configs: Sequence[ObserverConfig], session: Session, moment: datetime, *, root: str = "") -> dict[str, object]:
    """Return the plan after `session`'s latest call, as a JSON object; `root` is the project's folder."""
    from trajectory.local.engine.progress import ObserverProgress
    from trajectory.local.engine.triggers import keyed

    pairs = [(config, session.progress.get(key, ObserverProgress())) for key, config in keyed(configs)]
    active = [(config, progress) for config, progress in pairs if not progress.given_up]
    triggers = [(config.trigger, progress) for config, progress in active]
    files = [
        (os.path.join(root, trigger.file_created), p) for trigger, p in triggers if trigger.file_created is not None
    ]
    exists = {path: os.path.exists(path) for path, _ in files}
    calls = [
        max(progress.last_assessment_call_index + config.trigger.every_n_calls, _least_calls(config))
        for config, progress in active
        if config.trigger.every_n_calls is not None
    ]
    return {
        "every_call": bool(session.write_failure)
        or any(trigger.on_every_call for trigger, _ in triggers)
        or any(config.tell and progress.standing is not None for config, progress in active)
        or any(progress.seen_file != exists[path] for path, progress in files),
        "at_call": min(calls, default=None),
        "at_streak": [
            [trigger.after_consecutive_errors, progress.answered_streak]
            for trigger, progress in triggers
            if trigger.after_consecutive_errors is not None
        ],
        "at_repeats": min((t.after_repeats for t, _ in triggers if t.after_repeats is not None), default=None),
        "at_file": [[path, exists[path]] for path, _ in files],
        "at_time": _first_time(triggers, session.started or moment),
        "made_at": moment.timestamp(),
    }


def _least_calls(config: ObserverConfig) -> int:
    """Return the number of calls before which the observer would not run even if it was due; 0 if it names none."""
    least: int = getattr(config.observer, "least_calls", 0)
    return least


def _first_time(triggers: Sequence[tuple[ObserverTrigger, ObserverProgress]], started: datetime) -> float | None:
    """Return when the first trigger with `every_n_seconds` is due, in seconds of the epoch."""
    times = [
        (progress.last_assessment_time or started).timestamp() + trigger.every_n_seconds
        for trigger, progress in triggers
        if trigger.every_n_seconds is not None
    ]
    return min(times, default=None)


def is_due(plan: object, row: Mapping[str, object], *, now: float | None = None) -> bool:
    """Return whether any observer may be due after the call `row`; true where `plan` is not one of `make`'s.

    `now` is in seconds of the epoch, the present by default.
    """
    if not isinstance(plan, dict):
        return True
    try:
        return _is_reached(plan, row, time.time() if now is None else now)
    except (KeyError, TypeError, ValueError):
        return True


def _is_reached(plan: Mapping[str, Any], row: Mapping[str, Any], now: float) -> bool:
    at_call, at_repeats, at_time = plan["at_call"], plan["at_repeats"], plan["at_time"]
    return bool(
        plan["every_call"]
        or (at_call is not None and row["call_index"] >= at_call)
        or (at_repeats is not None and row["repeats"] >= at_repeats)
        or any(row["streak"] >= length and row["streak_from"] != seen for length, seen in plan["at_streak"])
        or any(os.path.exists(path) != existed for path, existed in plan["at_file"])
        or (at_time is not None and (now >= at_time or now < plan["made_at"]))
    )
