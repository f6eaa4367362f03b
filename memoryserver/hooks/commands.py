"""Registry of listeners for the shell commands that agents ran, so that the apps need not know each other.

The app that stores tool calls announces them, and each registered listener is called after they were stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from memoryserver.accounts.models import Project, User

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CommandRun:
    """A shell command that an agent ran, whatever its exit status. `text` is redacted, one line, and may be cut."""

    user: User
    project: Project | None
    text: str
    ran_at: datetime


Listener = Callable[[Sequence[CommandRun]], None]

_listeners: dict[str, Listener] = {}


def register(name: str, listener: Listener) -> None:
    """Register `listener`; it replaces the one of the same name.

    It must be fast, and what it writes has a transaction of its own: hardly any command is one that it writes for.
    """
    _listeners[name] = listener


def announce(runs: Sequence[CommandRun]) -> None:
    """Call every listener with `runs`, unless there are none, once the current transaction is committed.

    If a listener raises, the error is logged, and the other listeners are called.
    """
    if runs:
        transaction.on_commit(lambda: _call_all(runs))


def _call_all(runs: Sequence[CommandRun]) -> None:
    for name, listener in _listeners.items():
        try:
            listener(runs)
        except Exception:  # the calls are stored, and their delivery must not fail
            logger.exception("a listener of commands failed", extra={"listener": name})
