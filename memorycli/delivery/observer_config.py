"""Which observers run in a project, and fetching their configuration from the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client import places
from memoryserver.client.http import Client
from memoryserver.common import text
from trajectory.local.config import registry, resolve
from trajectory.local.config.origins import PACKAGE, Origins, kind_of
from trajectory.local.config.schema import ConfigurationError
from trajectory.local.engine.triggers import ObserverConfig

PATH = "/trajectory/configuration"
UNCHANGED = "unchanged since the last time"


def report(project: Path) -> Iterator[str]:
    """Yield the lines about the observers of `project`: each with its thresholds and where they come from."""
    key = places.project_key(project)
    cached = resolve.cached(key)
    choice = resolve.observers_of(project)
    origins = Origins(cached)
    if cached:
        yield f"the server's configuration, version {cached.get('version')}, kept in {resolve.cache_path(key)}"
    else:
        yield "the default set of observers"
    for config in choice.configs:
        yield f"  {config.name}: {_described(config, origins)}"
    for kind, layer in origins.turned_off().items():
        yield f"  {kind}: turned off ({layer})"
    yield from choice.problems


def _described(config: ObserverConfig, origins: Origins) -> str:
    kind = kind_of(config)
    by_origin: dict[str, list[str]] = {}
    for name in registry.settings_of(kind) if kind else ():
        value = getattr(config.observer, name)
        if value not in (None, ""):
            by_origin.setdefault(origins.of(kind or "", "settings", name), []).append(f"{name}={_shown(value)}")
    parts = [f"{', '.join(settings)} ({origin})" for origin, settings in by_origin.items()]
    conditions = {name: value for name, value in vars(config.trigger).items() if value not in (None, False)}
    due = ", ".join(name if value is True else f"{name}={value}" for name, value in conditions.items())
    parts.append(f"due by {due}{'' if kind else f' ({PACKAGE})'}")
    if not config.tell:
        parts.append("written, not told")
    return "; ".join(parts)


def _shown(value: object) -> str:
    return ":".join(sorted(value)) if isinstance(value, frozenset) else text.shorten(text.one_line(str(value)), 100)


def refresh(key: str, client: Client | None = None) -> str:
    """Fetch the configuration of the project named `key` and save it; return a line about the result.

    Raises CommandError where no server is known or its configuration cannot be used, ServerError.
    """
    version = str(resolve.cached(key).get("version") or "")
    try:
        answer = (client or connection.load()).get(PATH, {"project": key, "known": version or None})
        if answer.get("unchanged"):
            return UNCHANGED
        resolve.save(key, str(answer["version"]), answer["configuration"], answer.get("layers"))
    except (ConfigurationError, KeyError, AttributeError) as error:
        raise CommandError(f"the server's configuration is not used: {error}") from error
    return f"fetched version {answer['version']}"
