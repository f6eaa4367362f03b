"""What `memory trajectory config` does: which observers run here, and asking the server for its configuration."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client import places
from memoryserver.client.http import Client, ServerError
from trajectory.local.config import resolve
from trajectory.local.config.schema import ConfigurationError

PATH = "/trajectory/configuration"


def report(project: Path) -> Iterator[str]:
    """The lines about the observers of `project`."""
    kept = resolve.cached(places.project_key(project))
    choice = resolve.observers_of(project)
    yield f"the server's configuration, version {kept.get('version')}" if kept else "the default set of observers"
    for config in choice.configs:
        wanted = {name: value for name, value in vars(config.trigger).items() if value not in (None, False)}
        shown = ", ".join(f"{name}={value}" for name, value in wanted.items())
        yield f"  {config.name}: {shown}{'' if config.tell else '; written, not told'}"
    yield from choice.problems


def refresh(key: str, client: Client | None = None) -> str:
    """Fetch the configuration of the project named `key` and keep it; a line on what came of it.

    Raises CommandError where there is no server, it cannot be reached, or what it gives cannot be used.
    """
    known = str(resolve.cached(key).get("version") or "")
    try:
        answer = (client or connection.load()).get(PATH, {"project": key, "known": known or None})
        if answer.get("unchanged"):
            return "unchanged since the last time"
        resolve.keep(key, str(answer["version"]), answer["configuration"])
    except ServerError as error:
        raise CommandError(str(error)) from error
    except (ConfigurationError, KeyError, AttributeError) as error:
        raise CommandError(f"the server's configuration is not used: {error}") from error
    return f"fetched version {answer['version']}"
