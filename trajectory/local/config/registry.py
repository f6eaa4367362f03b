"""Every observer that a configuration can name, by its kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from trajectory.local.config.defaults import DEFAULT_OBSERVERS
from trajectory.local.engine.context import TrajectoryObserver
from trajectory.local.engine.triggers import ObserverConfig
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

KINDS: dict[str, Callable[..., TrajectoryObserver]] = {
    "repeat_call": RepeatCall,
    "poll": Poll,
    "cycle": Cycle,
    "stagnation": Stagnation,
    "same_error": SameError,
    "edit_thrash": EditThrash,
    "edit_test_loop": EditTestLoop,
    "no_effect": NoEffect,
    "recreated": Recreated,
    "rereading": Rereading,
    "test_trend": TestTrend,
    "error_cascade": ErrorCascadeDetector,
    "error_rate": ErrorRateMonitor,
    "no_change": NoChange,
    "drift": DriftDetector,
    "pace": Pace,
    "fixed_message": FixedMessage,
    "stall": StallDetector,
    "ignored": Ignored,
}


def default_of(kind: str) -> ObserverConfig | None:
    """Return the config of `kind` in the default set, None for one that is not in it."""
    return next((config for config in DEFAULT_OBSERVERS if type(config.observer) is KINDS.get(kind)), None)


def required_of(kind: str) -> set[str]:
    """Return the settings without which there can be no observer of `kind`."""
    fields = dataclasses.fields(KINDS[kind])  # type: ignore[arg-type]  # all of them are dataclasses
    return {field.name for field in fields if field.default is dataclasses.MISSING}


def settings_of(kind: str) -> dict[str, Any]:
    """Return the settings of `kind` as the default set has them, as JSON values; None where one must be given."""
    default = default_of(kind)
    known: dict[str, Any] = {}
    for field in dataclasses.fields(KINDS[kind]):  # type: ignore[arg-type]  # all of them are dataclasses
        fallback = None if field.default is dataclasses.MISSING else field.default
        known[field.name] = getattr(default.observer, field.name) if default else fallback
    return known
