"""Trajectory observers on the laptop: is this agent getting anywhere?

The names below are imported when they are first used: a tool call that no observer looks at must not pay for the
observers. Such a call needs `recorder`, `calls.parse`, `store` and `engine.schedule`, which load no dataclass.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trajectory.local.calls.record import ToolCallRecord
    from trajectory.local.config.defaults import DEFAULT_OBSERVERS
    from trajectory.local.engine.assessment import Assessment, Observation, Severity
    from trajectory.local.engine.context import Filesystem, ObserverContext, TrajectoryObserver
    from trajectory.local.engine.context_section import TrajectorySection
    from trajectory.local.engine.project_files import ProjectFiles
    from trajectory.local.engine.runner import after_tool_call, run_observers
    from trajectory.local.engine.session import ObserverState, RecordToolCall, Session, Snapshot
    from trajectory.local.engine.triggers import ObserverConfig, ObserverTrigger
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

__all__ = [
    "DEFAULT_OBSERVERS",
    "Assessment",
    "Cycle",
    "DriftDetector",
    "EditTestLoop",
    "EditThrash",
    "ErrorCascadeDetector",
    "ErrorRateMonitor",
    "Filesystem",
    "FixedMessage",
    "Ignored",
    "NoChange",
    "NoEffect",
    "Observation",
    "ObserverConfig",
    "ObserverContext",
    "ObserverState",
    "ObserverTrigger",
    "Pace",
    "Poll",
    "ProjectFiles",
    "RecordToolCall",
    "Recreated",
    "RepeatCall",
    "Rereading",
    "SameError",
    "Session",
    "Severity",
    "Snapshot",
    "Stagnation",
    "StallDetector",
    "TestTrend",
    "ToolCallRecord",
    "TrajectoryObserver",
    "TrajectorySection",
    "after_tool_call",
    "run_observers",
]

_HOME_OF = {
    "engine.assessment": ("Assessment", "Observation", "Severity"),
    "engine.context": ("Filesystem", "ObserverContext", "TrajectoryObserver"),
    "config.defaults": ("DEFAULT_OBSERVERS",),
    "observers.cycle": ("Cycle",),
    "observers.drift": ("DriftDetector",),
    "observers.edit_test_loop": ("EditTestLoop",),
    "observers.edit_thrash": ("EditThrash",),
    "observers.error_cascade": ("ErrorCascadeDetector",),
    "observers.error_rate": ("ErrorRateMonitor",),
    "observers.fixed_message": ("FixedMessage",),
    "observers.ignored": ("Ignored",),
    "observers.no_change": ("NoChange",),
    "observers.no_effect": ("NoEffect",),
    "observers.pace": ("Pace",),
    "observers.poll": ("Poll",),
    "observers.recreated": ("Recreated",),
    "observers.repeat_call": ("RepeatCall",),
    "observers.rereading": ("Rereading",),
    "observers.same_error": ("SameError",),
    "observers.stagnation": ("Stagnation",),
    "observers.stall": ("StallDetector",),
    "observers.failing_tests": ("TestTrend",),
    "engine.project_files": ("ProjectFiles",),
    "calls.record": ("ToolCallRecord",),
    "engine.runner": ("after_tool_call", "run_observers"),
    "engine.context_section": ("TrajectorySection",),
    "engine.session": ("ObserverState", "RecordToolCall", "Session", "Snapshot"),
    "engine.triggers": ("ObserverConfig", "ObserverTrigger"),
}


def __getattr__(name: str) -> object:
    for module, names in _HOME_OF.items():
        if name in names:
            import importlib

            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
