"""Where each part of a configuration comes from: the default set, or the server's configuration of a scope.

    {"layers": [{"scope": "team crew", "version": 2, "configuration": {"observers": {…}}}, …]}

is how the laptop keeps it beside the configuration, each layer before those that override it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectory.local.config import registry
from trajectory.local.engine.triggers import ObserverConfig

DEFAULT = "default"
PACKAGE = "installed package"


class Origins:
    """The layers of a configuration that a laptop keeps, `cached` as `resolve.cached` returns it."""

    def __init__(self, cached: Mapping[str, Any]) -> None:
        layers = cached.get("layers")
        if not isinstance(layers, list) and cached:  # an older server names none
            layers = [{"scope": "server", **cached}]
        self.layers: list[tuple[str, Mapping[str, Any]]] = [
            (_name(layer), _observers(layer)) for layer in layers or () if isinstance(layer, Mapping)
        ]

    def of(self, kind: str, part: str, setting: str = "") -> str:
        """Return which layer decides on `part` of an observer, or on one of its settings."""
        for name, observers in self.layers[::-1]:
            values = _object(observers.get(kind))
            if part in values and (not setting or setting in _object(values[part])):
                return name
        return DEFAULT

    def turned_off(self) -> dict[str, str]:
        """Return the observers that a layer has turned off, by kind, each with that layer."""
        off = {}
        for kind in registry.KINDS:
            for name, observers in self.layers:
                enabled = _object(observers.get(kind)).get("enabled")
                if enabled is False:
                    off[kind] = name
                elif enabled is True:
                    off.pop(kind, None)
        return off


def kind_of(config: ObserverConfig) -> str | None:
    """Return the kind of the config's observer, None for one that a package brings."""
    return next((kind for kind, observer in registry.KINDS.items() if type(config.observer) is observer), None)


def _name(layer: Mapping[str, Any]) -> str:
    return f"{layer.get('scope')}, version {layer.get('version')}"


def _observers(layer: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(_object(layer.get("configuration")).get("observers"))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
