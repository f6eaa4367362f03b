"""Jobs of the vectors app. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

from memoryserver import embedding
from memoryserver.vectors import backlog, indexes, token_codes

SECONDS = 180.0


def complete_token_codes() -> int:
    """Write token codes that are missing, for SECONDS at most, and return their number; the rest waits for tomorrow."""
    service = embedding.service()
    return token_codes.complete(service, SECONDS) if backlog.can_embed(service) else 0


def index_grown() -> int:
    """Build the index of each collection that is too large for exact search and return how many were built."""
    return indexes.build_grown()
