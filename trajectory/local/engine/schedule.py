"""When the next observer is due, written down after every run so that a quiet call need not load any.

A plan may be early, never late: what it calls due is decided anew by the triggers themselves. A changed set
of observers is seen when the next plan is made.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from trajectory.local.engine.session import Session
    from trajectory.local.engine.triggers import ObserverConfig


def make(configs: Sequence[ObserverConfig], session: Session, moment: datetime, *, root: str = "") -> dict[str, object]:
    """The plan after `session`'s latest call, as a JSON object; `root` is the project's folder."""
    from trajectory.local.engine.progress import ObserverProgress, keyed

    every_call = bool(session.write_failure)
    calls: list[int] = []
    streaks: list[list[int]] = []
    times: list[float] = []
    repeats: list[int] = []
    files: list[str] = []
    for key, config in keyed(configs):
        progress = session.progress.get(key, ObserverProgress())
        if progress.given_up:
            continue
        trigger = config.trigger
        every_call = every_call or trigger.on_every_call or (config.tell and progress.standing is not None)
        if trigger.every_n_calls is not None:
            calls.append(progress.last_assessment_call_index + trigger.every_n_calls)
        if trigger.after_consecutive_errors is not None:
            streaks.append([trigger.after_consecutive_errors, progress.answered_streak])
        if trigger.after_repeats is not None:
            repeats.append(trigger.after_repeats)
        if trigger.file_created is not None:
            files.append(os.path.join(root, trigger.file_created))
            every_call = every_call or progress.seen_file != os.path.exists(files[-1])
        if trigger.every_n_seconds is not None:
            since = progress.last_assessment_time or session.started or moment
            times.append(since.timestamp() + trigger.every_n_seconds)
    return {
        "every_call": every_call,
        "at_call": min(calls, default=None),
        "at_streak": streaks,
        "at_repeats": min(repeats, default=None),
        "at_file": [[path, os.path.exists(path)] for path in files],
        "at_time": min(times, default=None),
        "made_at": moment.timestamp(),
    }


def is_due(plan: object, row: Mapping[str, object], *, now: float | None = None) -> bool:
    """Whether any observer may be due after the call `row`; true where `plan` is none that `make` made.

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
        or any(os.path.exists(path) != there for path, there in plan["at_file"])
        or (at_time is not None and (now >= at_time or now < plan["made_at"]))
    )
