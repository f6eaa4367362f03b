"""The set of observers that runs where nobody chose another; the one place to change it.

Precision comes first: each compares arguments and results, none counts names. Those that look for repetition are
loaded only at a call that repeats something.
"""

from __future__ import annotations

from trajectory.local.config.triggers import trigger_of
from trajectory.local.engine.triggers import ObserverConfig
from trajectory.local.observers.cycle import Cycle
from trajectory.local.observers.edit_test_loop import EditTestLoop
from trajectory.local.observers.edit_thrash import EditThrash
from trajectory.local.observers.error_cascade import ErrorCascadeDetector
from trajectory.local.observers.error_rate import ErrorRateMonitor
from trajectory.local.observers.failing_tests import TestTrend
from trajectory.local.observers.ignored import Ignored
from trajectory.local.observers.no_change import NoChange
from trajectory.local.observers.no_effect import NoEffect
from trajectory.local.observers.poll import Poll
from trajectory.local.observers.recreated import Recreated
from trajectory.local.observers.repeat_call import RepeatCall
from trajectory.local.observers.rereading import Rereading
from trajectory.local.observers.same_error import SameError
from trajectory.local.observers.stagnation import Stagnation

DEFAULT_OBSERVERS: tuple[ObserverConfig, ...] = (
    *(
        ObserverConfig(observer, trigger_of(observer))
        for observer in (
            RepeatCall(),
            Poll(),
            Cycle(),
            Stagnation(),
            SameError(),
            EditThrash(),
            EditTestLoop(),
            NoEffect(),
            Recreated(),
            Rereading(),
            TestTrend(),
            # Three failures in a row happen in healthy sessions as well: they are noted, four are told.
            ErrorCascadeDetector(consecutive_threshold=4, info_threshold=3),
            ErrorRateMonitor(),
            NoChange(),
        )
    ),
    # Last, because it looks at what the others have found at this call. For the operator: nothing is told.
    ObserverConfig(Ignored(), trigger_of(Ignored()), tell=False),
)
