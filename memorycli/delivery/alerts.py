"""Sends capture's alerts to its log, to the observation log and, if enabled, to the desktop."""

from __future__ import annotations

import logging
from collections.abc import Callable

from capture.local.service import notification
from memorycli.delivery import observations
from memoryserver.common.text import one_line, shorten

_log = logging.getLogger("capture.alerts")
_LONGEST = 1000  # characters of an observation's message


def alert(text: str) -> None:
    """Send an alert about a lasting trouble. Never raises."""
    _log.error("ALERT: %s", text)
    _try(lambda: _observe("capture.alert", text))
    if notification.is_enabled():
        _try(lambda: notification.show(text))


def recovered(text: str) -> None:
    """Report that the trouble of an earlier alert is over. Never raises."""
    _log.info("%s", text)
    _try(lambda: _observe("capture.recovered", text))


def _observe(kind: str, text: str) -> None:
    """Put an observation into the outbox, from which it is sent once the server can be reached."""
    observations.save(type=kind, source="client:capture", message=shorten(one_line(text), _LONGEST))


def _try(notify: Callable[[], object]) -> None:
    try:
        notify()
    except Exception as error:  # noqa: BLE001 - such as a full disk or an invalid setting; the others are still sent
        _log.warning("could not send the alert: %s", error)
