"""A set of observers written as JSON: what a server gives out, what a laptop keeps, what both check by this code.

    {"observers": {"repeat_call": {"settings": {"repetition_threshold": 4}},
                   "error_rate": {"enabled": false},
                   "pace": {"settings": {"calls": 400}, "trigger": {"every_n_calls": 10}, "tell": true}}}

What is not named is as in the default set; one that is not in it comes in by being named.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from trajectory.local.config import registry, triggers
from trajectory.local.engine.context import TrajectoryObserver
from trajectory.local.engine.triggers import ObserverConfig, ObserverTrigger

_PARTS = frozenset({"enabled", "settings", "trigger", "tell"})
_TRIGGERS = frozenset(field.name for field in dataclasses.fields(ObserverTrigger))
_MAX_TEXT = 2000


class ConfigurationError(ValueError):
    """A configuration cannot be used; the text is one sentence that says what is wrong in it."""


def parse(value: object) -> tuple[ObserverConfig, ...]:
    """Return the configs that `value` stands for; raises ConfigurationError."""
    if not isinstance(value, Mapping) or set(value) - {"observers"}:
        raise ConfigurationError('a configuration is an object with the key "observers" alone')
    observers = value.get("observers", {})
    if not isinstance(observers, Mapping):
        raise ConfigurationError("observers must be an object that has a key for each observer")
    unknown = sorted(str(kind) for kind in observers if kind not in registry.KINDS)
    if unknown:
        raise ConfigurationError(f"there is no observer {unknown[0]!r}; known are {', '.join(registry.KINDS)}")
    configs = (_config(kind, observers.get(kind)) for kind in registry.KINDS)
    return tuple(config for config in configs if config is not None)


def merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """One configuration out of several, each later one before the earlier: by observer, and in it by part.

    The most specific wins: of an observer's settings and trigger, each key is taken from the last layer that has it.
    """
    observers: dict[str, dict[str, Any]] = {}
    for layer in layers:
        for kind, part_values in layer.get("observers", {}).items():
            observer = observers.setdefault(kind, {})
            for part, setting in part_values.items():
                both = isinstance(setting, Mapping) and isinstance(observer.get(part), Mapping) and part == "settings"
                observer[part] = {**observer[part], **setting} if both else setting
    return {"observers": observers}


def usable(value: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return `value` without the settings and triggers of observers that cannot be used, and why, a line for each.

    Several layers can be valid by themselves and not together, as a threshold with the window of another layer.
    """
    observers, problems = {}, []
    for kind, part in value.get("observers", {}).items():
        observers[kind] = part
        try:
            parse({"observers": {kind: part}})
        except ConfigurationError as error:
            problems.append(str(error))
            observers[kind] = {name: part[name] for name in ("enabled", "tell") if name in part}
    return {"observers": observers}, tuple(problems)


def _config(kind: str, value: object) -> ObserverConfig | None:
    default = registry.default_of(kind)
    if value is None:
        return default
    if not isinstance(value, Mapping) or set(value) - _PARTS:
        raise ConfigurationError(f"{kind} must be an object with keys out of {', '.join(sorted(_PARTS))}")
    enabled, tell = value.get("enabled", True), value.get("tell", default.tell if default else True)
    if not isinstance(enabled, bool) or not isinstance(tell, bool):
        raise ConfigurationError(f"{kind}: enabled and tell must be true or false")
    try:
        settings = _settings(kind, value.get("settings", {}))
        missing = registry.required_of(kind) - set(settings)
        if missing and not enabled:
            return None
        if missing:
            raise ConfigurationError(f"the setting {min(missing)} must be given")
        observer = registry.KINDS[kind](**settings)
        trigger = _trigger(observer, value.get("trigger"))
        config = ObserverConfig(observer, trigger, tell=tell)
    except (ValueError, TypeError) as error:
        raise ConfigurationError(f"{kind}: {error}") from error
    return config if enabled else None


def _settings(kind: str, settings: object) -> dict[str, Any]:
    known = registry.settings_of(kind)
    if not isinstance(settings, Mapping):
        raise ConfigurationError("settings must be an object")
    for name, value in settings.items():
        if name not in known:
            raise ConfigurationError(f"there is no setting {name!r}; known are {', '.join(known)}")
        _check(str(name), value, known[name])
    values = {name: value for name, value in {**known, **settings}.items() if value is not None}
    if "initial_paths" in values:
        values["initial_paths"] = frozenset(values["initial_paths"])
    return values


def _check(name: str, value: object, known: object) -> None:
    """Refuse thresholds that make no sense: zero is always met, and a negative one too."""
    if value is None or (isinstance(value, bool) and known is None):
        return
    if isinstance(known, int) and not isinstance(value, int):
        raise ConfigurationError(f"{name} must be a whole number, not {value!r}")
    if isinstance(value, bool) or (isinstance(known, str) and not isinstance(value, str)):
        raise ConfigurationError(f"{name} must be {'a text' if isinstance(known, str) else 'a number'}, not {value!r}")
    if isinstance(value, int | float):
        if not 0 < value < 10**12:
            raise ConfigurationError(f"{name} must be a number above 0, not {value!r}")
    elif isinstance(value, list):
        if not all(isinstance(item, str) and len(item) <= _MAX_TEXT for item in value) or len(value) > 200:
            raise ConfigurationError(f"{name} must be a list of at most 200 texts")
    elif not isinstance(value, str) or len(value) > _MAX_TEXT:
        raise ConfigurationError(f"{name} must be a number, true or false, a list of texts or a text, not {value!r}")


def _trigger(observer: TrajectoryObserver, value: object) -> ObserverTrigger:
    if value is None:
        return triggers.trigger_of(observer)
    if not isinstance(value, Mapping) or set(value) - _TRIGGERS:
        raise ConfigurationError(f"trigger must be an object with keys out of {', '.join(sorted(_TRIGGERS))}")
    return triggers.with_conditions(observer, ObserverTrigger(**value))
