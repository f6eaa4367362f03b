"""When each observer is due: its trigger follows from its thresholds, wherever these come from.

A trigger may be early, never late: an observer that is due decides by its thresholds itself. One that was due only at
the default threshold would make a lower one ineffective.
"""

from __future__ import annotations

from collections.abc import Callable

from trajectory.local.calls.repeats import WITHIN
from trajectory.local.engine.context import TrajectoryObserver
from trajectory.local.engine.triggers import ObserverTrigger
from trajectory.local.observers.cycle import Cycle
from trajectory.local.observers.drift import DriftDetector
from trajectory.local.observers.edit_test_loop import EditTestLoop
from trajectory.local.observers.edit_thrash import EditThrash
from trajectory.local.observers.error_cascade import ErrorCascadeDetector
from trajectory.local.observers.error_rate import ErrorRateMonitor
from trajectory.local.observers.failing_tests import TestTrend
from trajectory.local.observers.fixed_message import FixedMessage
from trajectory.local.observers.ignored import Ignored
from trajectory.local.observers.no_change import NoChange
from trajectory.local.observers.no_effect import NoEffect
from trajectory.local.observers.pace import Pace
from trajectory.local.observers.poll import Poll
from trajectory.local.observers.recreated import Recreated
from trajectory.local.observers.repeat_call import RepeatCall
from trajectory.local.observers.rereading import Rereading
from trajectory.local.observers.same_error import SameError
from trajectory.local.observers.stagnation import Stagnation
from trajectory.local.observers.stall import StallDetector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SELDOM = 8  # calls between two looks at what shows only over many calls
_FEW = 3  # equal ones among thirty calls that may be the latest of many
_PACE = 5  # calls between two looks at a budget
_EARLIEST = ("every_n_calls", "after_consecutive_errors", "every_n_seconds", "after_repeats")


def trigger_of(observer: TrajectoryObserver) -> ObserverTrigger:
    """Return the trigger that `observer` has by its thresholds; raises KeyError for one of another package."""
    return _TRIGGERS[type(observer)](observer)


def with_conditions(observer: TrajectoryObserver, conditions: ObserverTrigger) -> ObserverTrigger:
    """Return the trigger of `observer` where a configuration names `conditions`.

    They are added to those of its thresholds, and of two of a kind the earlier one holds: else they could make a
    threshold ineffective. An observer without such thresholds has them instead of its own.
    """
    if isinstance(observer, _WITHOUT_THRESHOLDS):
        return conditions
    own = trigger_of(observer)
    earliest = {name: _earlier(getattr(own, name), getattr(conditions, name)) for name in _EARLIEST}
    return ObserverTrigger(
        **earliest,
        on_every_call=own.on_every_call or conditions.on_every_call,
        while_told=own.while_told or conditions.while_told,
        file_created=conditions.file_created,
    )


def _earlier(first: Any, second: Any) -> Any:
    return min((value for value in (first, second) if value is not None), default=None)


def _repeats(*thresholds: int | None, within: int = WITHIN) -> ObserverTrigger:
    """Return the trigger of an observer that needs so many equal calls, results, errors or states `within` some calls.

    Repetitions are counted within thirty calls: of those in a longer stretch only a few may lie there.
    """
    lowest = min(value for value in thresholds if value is not None)
    return ObserverTrigger(after_repeats=lowest if within <= WITHIN else min(lowest, _FEW))


def _often(*thresholds: int) -> ObserverTrigger:
    """Return the trigger of an observer that needs so many calls, which need have nothing in common."""
    return ObserverTrigger(every_n_calls=min(_SELDOM, *thresholds))


def _cascade(observer: ErrorCascadeDetector) -> ObserverTrigger:
    info = observer.info_threshold or observer.consecutive_threshold
    return ObserverTrigger(after_consecutive_errors=min(info, observer.consecutive_threshold))


def _pace(observer: Pace) -> ObserverTrigger:
    """Return a trigger that is met before the last tenth of the budget is used up."""
    calls = _PACE if observer.calls is None else max(1, min(_PACE, int(observer.calls) // 10))
    return ObserverTrigger(every_n_calls=calls, every_n_seconds=observer.seconds and observer.seconds / 10)


_TRIGGERS: dict[type[Any], Callable[[Any], ObserverTrigger]] = {
    RepeatCall: lambda observer: _repeats(observer.repetition_threshold, within=observer.window_size),
    Poll: lambda observer: _repeats(observer.poll_threshold, _FEW),
    Cycle: lambda observer: _repeats(
        observer.rounds, observer.same_rounds, within=observer.longest * max(observer.rounds, observer.same_rounds)
    ),
    Stagnation: lambda observer: _repeats(
        observer.caution_threshold, observer.warning_threshold, within=observer.window_size
    ),
    SameError: lambda observer: _repeats(observer.error_threshold, within=observer.window_size),
    EditThrash: lambda _: _repeats(2),  # a state that is there again; how often is counted by place
    EditTestLoop: lambda observer: _repeats(observer.run_threshold, within=observer.window_size),
    NoEffect: lambda observer: _repeats(observer.run_threshold, _FEW),
    Recreated: lambda observer: _repeats(observer.same_threshold, observer.round_threshold, _FEW),
    Rereading: lambda observer: _repeats(observer.view_threshold, within=observer.window_size),
    TestTrend: lambda observer: _repeats(observer.run_threshold, _FEW),
    ErrorCascadeDetector: _cascade,
    ErrorRateMonitor: lambda observer: _often(observer.minimum_sample),
    NoChange: lambda observer: _often(observer.info_threshold, observer.caution_threshold, observer.page_threshold),
    Ignored: lambda _: ObserverTrigger(while_told=True),
    StallDetector: lambda observer: ObserverTrigger(every_n_calls=observer.window_size),
    DriftDetector: lambda _: ObserverTrigger(every_n_calls=10),
    Pace: _pace,
    FixedMessage: lambda _: ObserverTrigger(every_n_calls=50),
}
_WITHOUT_THRESHOLDS = (DriftDetector, FixedMessage)
