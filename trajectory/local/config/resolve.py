"""Which observers run in a project on this laptop: the default set or the server's, and those that packages bring.

    $MEMORYSERVER_HOME/trajectory_config/<project>.json    what the server last gave out for the project

A package brings an observer by an entry point in the group `memoryserver.trajectory_observers`: an ObserverConfig, or
a function or class that gives an ObserverConfig or an observer when it is called. One that cannot be loaded is
reported and left out. Loaded only where an observer is due, never at a quiet call.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from memoryserver.client import home_folder, places
from memoryserver.common import files
from memoryserver.common.light import replace
from trajectory.local import store
from trajectory.local.config import entry_points
from trajectory.local.config.defaults import DEFAULT_OBSERVERS
from trajectory.local.config.triggers import trigger_of
from trajectory.local.engine.triggers import ObserverConfig, ObserverTrigger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ENTRY_POINTS = "memoryserver.trajectory_observers"
_FOLDER = "trajectory_config"
_LOAD_SECONDS = 2.0
_RECENT_SECONDS = 24 * 3600


class Choice:
    """The configs of a project, and a line about each thing that could not be used."""

    def __init__(self, configs: tuple[ObserverConfig, ...], problems: tuple[str, ...]) -> None:
        self.configs = configs
        self.problems = problems


def observers_of(project: Path, initial_paths: frozenset[str] = frozenset()) -> Choice:
    """Return what runs in the project at `project`. Never raises for what a file or a package holds.

    With the `initial_paths` of a task there is a DriftDetector of that scope, unless the configuration turns it off.
    """
    problems: list[str] = []
    configs: tuple[ObserverConfig, ...] = DEFAULT_OBSERVERS
    try:
        stored = cached(places.project_key(project))
    except (OSError, ValueError):  # a folder that is gone, or whose name is none
        stored = {}
    if stored:
        from trajectory.local.config import schema  # every observer that there is

        try:
            configs = schema.parse(stored.get("configuration"))
        except schema.ConfigurationError as error:
            problems.append(f"the configuration kept of the server is not used: {error}")
    if initial_paths and not _turned_off(stored, "drift"):
        configs = _with_scope(configs, initial_paths, str(project))
    return Choice(configs + _from_packages(problems), tuple(problems))


def cached(key: str) -> dict[str, Any]:
    """Return what was kept of the server for the project named `key`: `configuration`, `version`; empty without."""
    return files.read_object(cache_path(key))


def save(key: str, version: str, configuration: object, layers: object = None) -> None:
    """Keep a configuration for the project named `key`, and the `layers` it is made of; see `origins`.

    It is in effect from the next call on. Raises ConfigurationError for one that cannot be used.
    """
    from trajectory.local.config import schema

    schema.parse(configuration)
    path = cache_path(key)
    files.make_folder(path.parent)
    content = {"project": key, "version": version, "configuration": configuration}
    content |= {"layers": layers} if isinstance(layers, list) else {}
    files.write_atomic(path, json.dumps(content, indent=2) + "\n")
    _drop_plans(key)


def _drop_plans(key: str) -> None:
    """Remove the plans that were made by an earlier configuration: by them an observer could be due too late."""
    for trajectory in store.all_trajectories():
        if time.time() - trajectory.used_at() > _RECENT_SECONDS:
            continue
        try:
            with trajectory.observing():
                state = trajectory.state()
                project = state.get("project")
                if "plan" in state and isinstance(project, str) and places.project_key(Path(project)) == key:
                    trajectory.save_state({name: value for name, value in state.items() if name != "plan"})
        except (OSError, ValueError, files.LockTimeoutError):
            continue  # its folder is gone, or its observers look just now, and make another plan


def cache_path(key: str) -> Path:
    """Return where the configuration for the project named `key` is kept."""
    return home_folder.path() / _FOLDER / f"{store.file_name(key)}.json"


def _with_scope(configs: tuple[ObserverConfig, ...], paths: frozenset[str], root: str) -> tuple[ObserverConfig, ...]:
    """`configs` with the scope in the DriftDetector among them, or with one of the usual settings."""
    from trajectory.local.observers.drift import DriftDetector

    scoped = tuple(
        replace(config, observer=replace(config.observer, initial_paths=paths | config.observer.initial_paths))
        if isinstance(config.observer, DriftDetector)
        else config
        for config in configs
    )
    if any(isinstance(config.observer, DriftDetector) for config in scoped):
        return scoped
    detector = DriftDetector(paths, root=root)
    return (*scoped, ObserverConfig(detector, trigger_of(detector)))


def _turned_off(stored: dict[str, Any], kind: str) -> bool:
    try:
        return stored["configuration"]["observers"][kind].get("enabled") is False
    except (KeyError, TypeError, AttributeError):
        return False


def _from_packages(problems: list[str]) -> tuple[ObserverConfig, ...]:
    configs: list[ObserverConfig] = []
    for name, value in entry_points.entry_points(ENTRY_POINTS):
        import pkgutil

        from trajectory.local.engine.time_limit import Budget

        try:
            with Budget(_LOAD_SECONDS):
                configs.append(config_of(pkgutil.resolve_name(value)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a foreign package must not break the agent's call
            problems.append(f"observer {name} of {value} is left out: {type(error).__name__}: {error}")
    return tuple(configs)


def config_of(declared: Any) -> ObserverConfig:
    """Return the config that a package's or a setting's object stands for: itself, or what calling it gives."""
    value = declared() if callable(declared) and not isinstance(declared, ObserverConfig) else declared
    return value if isinstance(value, ObserverConfig) else ObserverConfig(value, ObserverTrigger(every_n_calls=10))
