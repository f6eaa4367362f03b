"""Which observers run in a project, and fetching their configuration from the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client import places
from memoryserver.client.http import Client
from trajectory.local.config import resolve
from trajectory.local.config.schema import ConfigurationError

PATH = "/trajectory/configuration"


def report(project: Path) -> Iterator[str]:
    """Yield the lines about the observers of `project`."""
    cached = resolve.cached(places.project_key(project))
    choice = resolve.observers_of(project)
    yield f"the server's configuration, version {cached.get('version')}" if cached else "the default set of observers"
    for config in choice.configs:
        conditions = {name: value for name, value in vars(config.trigger).items() if value not in (None, False)}
        shown = ", ".join(f"{name}={value}" for name, value in conditions.items())
        yield f"  {config.name}: {shown}{'' if config.tell else '; written, not told'}"
    yield from choice.problems


def refresh(key: str, client: Client | None = None) -> str:
    """Fetch the configuration of the project named `key` and save it; return a line about the result.

    Raises CommandError where no server is known or its configuration cannot be used, ServerError.
    """
    version = str(resolve.cached(key).get("version") or "")
    try:
        answer = (client or connection.load()).get(PATH, {"project": key, "known": version or None})
        if answer.get("unchanged"):
            return "unchanged since the last time"
        resolve.keep(key, str(answer["version"]), answer["configuration"])
    except (ConfigurationError, KeyError, AttributeError) as error:
        raise CommandError(f"the server's configuration is not used: {error}") from error
    return f"fetched version {answer['version']}"
