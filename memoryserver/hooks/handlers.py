"""Who takes the events: each app registers its own, so that this package knows none of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memoryserver.accounts.models import Project, User
from memoryserver.common.hook_event import HookEvent


@dataclass(frozen=True)
class Call:
    """One event of one session. `memory` is the handler's own, kept for the session's next event.

    `root` is the folder in which the session began, on the agent's machine: nothing may be looked up there.
    """

    user: User
    project: Project | None
    event: HookEvent
    root: str
    memory: dict[str, Any]


@dataclass(frozen=True)
class Handler:
    """Takes the events of these names; `handle` returns what is to be put before the model, "" for nothing.

    It runs in a savepoint of its own, with its session locked: what it raises is logged, what it wrote is undone, and
    the other handlers go on. It must not take long; what can wait it leaves to a job.
    """

    name: str
    events: frozenset[str]
    handle: Callable[[Call], str]


_handlers: dict[str, Handler] = {}


def register(handler: Handler) -> None:
    """Let `handler` have its events; again under the same name replaces it."""
    _handlers[handler.name] = handler


def of(event_name: str) -> list[Handler]:
    """Those that take events of that name, in the order registered."""
    return [handler for handler in _handlers.values() if event_name in handler.events]
