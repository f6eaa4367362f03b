"""Registry of event handlers: each app registers its own, so that this package depends on none of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memoryserver.accounts.models import Project, User
from memoryserver.common.hook_event import HookEvent
from memoryserver.statements.guard import Guard


@dataclass(frozen=True)
class Call:
    """One event of one session. `memory` is the handler's state, stored for the session's next event.

    `root` is the folder in which the session began; it is on the agent's machine and must not be opened here. Unless
    `may_read`, the token may only send, and the answer must have nothing of the memory.
    """

    user: User
    project: Project | None
    event: HookEvent
    root: str
    memory: dict[str, Any]
    may_read: bool = True


@dataclass(frozen=True)
class Handler:
    """Handles the events of these names; `handle` returns text to give to the model, "" for none.

    It runs with its session locked. If it raises, all that was written for the event is rolled back and the handlers
    are called again, each in a savepoint: the error is logged, and the writes of the others stay. It must be fast and
    leave slow work to a job.

    Most events change little, which a handler can say by two functions that read nothing and change no `memory`. `idle`
    returns whether `handle` would do nothing. `quick` does the same as `handle` in one statement that changes nothing
    unless the guard's condition holds; it returns None if it has done nothing, and `handle` is called.
    """

    name: str
    events: frozenset[str]
    handle: Callable[[Call], str]
    idle: Callable[[Call], bool] | None = None
    quick: Callable[[Call, Guard], str | None] | None = None


_handlers: dict[str, Handler] = {}


def register(handler: Handler) -> None:
    """Register `handler`; it replaces one of the same name."""
    _handlers[handler.name] = handler


def for_event(event_name: str) -> list[Handler]:
    """Return the handlers of this event, in the order registered."""
    return [handler for handler in _handlers.values() if event_name in handler.events]
