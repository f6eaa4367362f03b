"""Observations for the observation log: into the outbox first, from there to the server in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memoryserver.client import delivery, home_folder
from memoryserver.client.delivery import Report
from memoryserver.client.http import Client, ServerError
from memoryserver.client.outbox import BatchChannel, Outbox
from memoryserver.common.ids import uuid7
from memoryserver.common.text import clean_json

OUTBOX_KIND = "observations"
PATH = "/observations"
BATCH = 500
_MAX_SCOPES, _MAX_SCOPE = 100, 200  # ids, and characters of one, that the server takes


def outbox() -> Outbox:
    """Return the outbox in which observations wait."""
    return Outbox(home_folder.path(), OUTBOX_KIND)


def save(
    *,
    type: str,  # noqa: A002  (the log's own word)
    source: str,
    message: str,
    details: str | None = None,
    data: Any = None,
    scope_ids: Sequence[str] = (),
    project: str = "",
    session: str = "",
) -> str:
    """Put an observation of now into the outbox, from which `deliver` sends it, and return its id. Raises OSError.

    It is also about the key `project` and, if an agent's `session` is known, about `session:ID`.
    """
    identifier = str(uuid7())
    content = {"type": type, "source": source, "message": message, "details": details, "data": data}
    own = [project if len(project) <= _MAX_SCOPE else "", f"session:{session}" if session else ""]
    about = list(dict.fromkeys([*scope_ids, *filter(None, own)]))[: max(_MAX_SCOPES, len(scope_ids))]
    content |= {"id": identifier, "scope_ids": about}
    outbox().add(identifier, clean_json(content))
    return identifier


def deliver(client: Client, *, retry_failed: bool = False) -> Report:
    """Send what waits, with `retry_failed` also what was set aside. Raises UnauthorizedError, OSError."""
    if retry_failed:
        outbox().put_back()
    return delivery.deliver(BatchChannel(outbox(), PATH, "observations", BATCH), client.post)


def deliver_before_reading(client: Client) -> str:
    """Send what waits, so that a query finds what was appended before it; return why not all was sent, "" if it was.

    `append` waits for the server only so long: on a busy machine, or beside another delivery, its observation may still
    be in the outbox. Without one this costs a listing of the outbox's folder.
    """
    if not outbox().waiting():
        return ""
    try:
        return deliver(client).later
    except (ServerError, OSError) as error:
        return str(error)
