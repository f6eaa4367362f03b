"""When counts and findings are reset: a person speaks, or a session ends (by its event, or by silence)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import islice

from memoryserver.common.clock import SESSION_SILENCE
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.matters import NotificationState
from trajectory.local.engine.session import Session
from trajectory.local.engine.triggers import ObserverConfig, keyed

SILENCE = timedelta(seconds=SESSION_SILENCE)
_LOOK_BACK = 128  # calls


def reset_at_turn(session: Session, configs: Sequence[ObserverConfig], call: ToolCallRecord) -> None:
    """Close the findings if, since the observers were last run, a person spoke or no call was made for SILENCE.

    `call` is the latest. An observer that has `spans_turns` set, as one that watches a budget, goes on when a person
    speaks.
    """
    later = call
    for record in islice(session[ToolCallRecord].newest_first(), 1, _LOOK_BACK):
        if later.call_index <= session.observed:
            break
        if later.timestamp - record.timestamp >= SILENCE:
            end_findings(session, record.call_index)
            break
        if later.turn != record.turn:
            _begin_turn(session, configs, record.call_index)
            break
        later = record
    session.observed = call.call_index


def _begin_turn(session: Session, configs: Sequence[ObserverConfig], call_index: int) -> None:
    for key, config in keyed(configs):
        if key in session.progress and not getattr(config.observer, "spans_turns", False):
            session.progress[key] = session.progress[key].reset(call_index)


def end_findings(session: Session, call_index: int) -> None:
    """Close all open findings; calls up to `call_index` are evidence for none that comes."""
    session.progress = {key: memory.reset(call_index) for key, memory in session.progress.items()}
    session.notifications = NotificationState()
