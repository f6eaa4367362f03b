"""Parts of an entry's body as it was sent: to read, check and redact all of it takes ten times as long as one part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ghap.local import RootCause
from ghap.local.fields import bounded


def surprise_of(body: Mapping[str, Any]) -> str:
    """Return what was unexpected to the entry `body`, "" where nothing is said of it."""
    surprise = body.get("surprise")
    return "" if surprise is None else bounded(surprise, "surprise")


def cause_of(body: Mapping[str, Any]) -> str:
    """Return the description of the root cause of the entry `body`, "" where it is not known."""
    cause = body.get("root_cause")
    return "" if cause is None else RootCause.from_dict(cause).description
