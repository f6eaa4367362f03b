"""What `memory sync` does after it has sent: fetch the observers' configuration and session contexts, say how it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memorycli.delivery import laptop_state, observer_config
from memorycli.delivery.report import ChannelReport
from memorycli.errors import CommandError
from memoryserver.client import context_cache, places
from memoryserver.client.http import Client, RefusedError, UnauthorizedError, UnreachableError
from memoryserver.common.counted import counted


def observers(client: Client) -> ChannelReport:
    """Fetch which observers run in the project worked in. Raises UnauthorizedError."""
    try:
        line = observer_config.refresh(places.here().key(), client)
        return ChannelReport(line, routine=line == observer_config.UNCHANGED)
    except UnreachableError as error:
        return ChannelReport(f"offline: {error}", complete=False, offline=True, retry_after=error.retry_after)
    except UnauthorizedError:
        raise
    except (RefusedError, CommandError) as error:  # an older server has none
        return ChannelReport(f"not fetched: {error}")


def context(client: Client) -> ChannelReport:
    """Fetch what the next sessions start with: of this project, and of those in which sessions started lately.

    Raises UnauthorizedError.
    """
    projects = dict.fromkeys(filter(None, [places.here().key(), *context_cache.known_projects()]))
    try:
        for project in projects:
            context_cache.refresh(client, project)
    except UnreachableError as error:
        return ChannelReport(f"offline: {error}", complete=False, offline=True, retry_after=error.retry_after)
    except UnauthorizedError:
        raise
    except RefusedError as error:  # an older server has none
        return ChannelReport(f"not fetched: {error}")
    return ChannelReport(f"fetched for {counted(len(projects), 'project')}", routine=True)


def laptop(client: Client) -> ChannelReport:
    """Tell the server the state of this laptop, for the page of its user's laptops. Raises UnauthorizedError."""
    try:
        line = laptop_state.report(client)
        return ChannelReport(line, routine=line == laptop_state.REPORTED)
    except UnreachableError as error:
        return ChannelReport(f"offline: {error}", complete=False, offline=True, retry_after=error.retry_after)
    except UnauthorizedError:
        raise
    except RefusedError as error:  # an older server takes none
        return ChannelReport(f"not reported: {error}")


FETCHES: Mapping[str, Callable[[Client], ChannelReport]] = {
    "observers": observers,
    "context": context,
    "laptop": laptop,
}
