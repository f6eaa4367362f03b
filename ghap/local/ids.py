"""Ids of entries and sessions."""

from __future__ import annotations

import os
import re

from memoryserver.common import clock

_SESSION_ID = re.compile(r"session_[0-9]{8}_[0-9]{6}_[0-9a-z]{6}")


def generate_ghap_id() -> str:
    """Return a new entry id, `ghap_{YYYYMMDD}_{HHMMSS}_{random6}` in UTC."""
    return _generate("ghap")


def generate_session_id() -> str:
    """Return a new session id, `session_{YYYYMMDD}_{HHMMSS}_{random6}` in UTC."""
    return _generate("session")


def is_session_id(value: object) -> bool:
    """Return whether `value` is the text of a session id and nothing else, so that it is safe in a file name."""
    return isinstance(value, str) and _SESSION_ID.fullmatch(value) is not None


def _generate(kind: str) -> str:
    return f"{kind}_{clock.now():%Y%m%d_%H%M%S}_{os.urandom(3).hex()}"
