"""Who is told of capture's troubles: its log, the observation log and, where that is wanted, the desktop."""

from __future__ import annotations

import logging
from collections.abc import Callable

from capture.local.service import notification
from memorycli.delivery import observations
from memoryserver.common.text import one_line, shorten

_log = logging.getLogger("capture.alerts")
_LONGEST = 1000  # characters of an observation's message


def alert(text: str) -> None:
    """Something is in trouble and does not pass by itself. Never raises."""
    _log.error("ALERT: %s", text)
    _try(lambda: _observe("capture.alert", text))
    if notification.is_enabled():
        _try(lambda: notification.show(text))


def recovered(text: str) -> None:
    """What `alert` told of is over. Never raises."""
    _log.info("%s", text)
    _try(lambda: _observe("capture.recovered", text))


def _observe(kind: str, text: str) -> None:
    """Into the outbox: it reaches the server's log when that can be reached again."""
    observations.keep(type=kind, source="system:capture", message=shorten(one_line(text), _LONGEST))


def _try(tell: Callable[[], object]) -> None:
    try:
        tell()
    except Exception as error:  # noqa: BLE001 - a full disk, a damaged setting: the other ways still tell
        _log.warning("could not be told: %s", error)
