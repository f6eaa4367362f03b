"""The set of observers that runs where nobody chose another; the one place to change it.

Precision comes first: each compares arguments and results, none counts names. Those that look for repetition are
loaded only at a call that repeats something.
"""

from __future__ import annotations

from trajectory.local.engine.triggers import ObserverConfig, ObserverTrigger
from trajectory.local.observers.cycle import Cycle
from trajectory.local.observers.edit_test_loop import EditTestLoop
from trajectory.local.observers.edit_thrash import EditThrash
from trajectory.local.observers.error_cascade import ErrorCascadeDetector
from trajectory.local.observers.error_rate import ErrorRateMonitor
from trajectory.local.observers.failing_tests import TestTrend
from trajectory.local.observers.ignored import Ignored
from trajectory.local.observers.no_change import NoChange
from trajectory.local.observers.poll import Poll
from trajectory.local.observers.repeat_call import RepeatCall
from trajectory.local.observers.same_error import SameError
from trajectory.local.observers.stagnation import Stagnation

_SELDOM = 8  # calls between two looks at what shows only over many calls

DEFAULT_OBSERVERS: tuple[ObserverConfig, ...] = (
    ObserverConfig(RepeatCall(), ObserverTrigger(after_repeats=3)),
    ObserverConfig(Poll(), ObserverTrigger(after_repeats=10)),
    ObserverConfig(Cycle(), ObserverTrigger(after_repeats=2)),
    ObserverConfig(Stagnation(), ObserverTrigger(after_repeats=4)),
    ObserverConfig(SameError(), ObserverTrigger(after_repeats=3)),
    ObserverConfig(EditThrash(), ObserverTrigger(after_repeats=2)),
    ObserverConfig(EditTestLoop(), ObserverTrigger(after_repeats=3)),
    ObserverConfig(TestTrend(), ObserverTrigger(after_repeats=3)),
    # Three failures in a row happen in healthy sessions as well: they are noted, four are told.
    ObserverConfig(
        ErrorCascadeDetector(consecutive_threshold=4, info_threshold=3), ObserverTrigger(after_consecutive_errors=3)
    ),
    ObserverConfig(ErrorRateMonitor(), ObserverTrigger(every_n_calls=_SELDOM)),
    ObserverConfig(NoChange(), ObserverTrigger(every_n_calls=_SELDOM)),
    # Last, because it looks at what the others have found at this call. For the operator: nothing is told.
    ObserverConfig(Ignored(), ObserverTrigger(while_told=True), tell=False),
)
