"""Learnings that are stored by hand: into the outbox first, from there to the server one by one.

The server recognises such a learning by its wording.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryserver.client import delivery, home_folder
from memoryserver.client.delivery import Report
from memoryserver.client.http import Client
from memoryserver.client.outbox import Outbox, OutboxChannel
from memoryserver.common.ids import uuid7
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean_json

OUTBOX_KIND = "learnings"
PATH = "/learnings"
_CUT = re.compile(r"\[redacted:[\w-]+\]")


def body(*, type: str, content: str, project: str, files: Sequence[str] = ()) -> dict[str, object]:  # noqa: A002
    """Return what is sent, without secrets. `project` is a project's key. Raises ValueError if no content is left."""
    redacted = redact(content).text.strip()
    if not _CUT.sub("", redacted).strip():
        raise ValueError("nothing is left of the content once secrets and private parts are cut out")
    return {"type": type, "content": redacted, "project": project, "files": list(files)}


def outbox() -> Outbox:
    """Return the outbox in which they wait."""
    return Outbox(home_folder.path(), OUTBOX_KIND)


def keep(content: dict[str, object]) -> str:
    """Put the return value of `body` into the outbox, from which `deliver` sends it; return its id. Raises OSError."""
    identifier = str(uuid7())
    outbox().put(identifier, clean_json(content))
    return identifier


def deliver(client: Client, *, retry_failed: bool = False) -> Report:
    """Send what waits, with `retry_failed` also what was set aside. Raises UnauthorizedError, OSError."""
    if retry_failed:
        outbox().put_back()
    return delivery.deliver(OutboxChannel(outbox(), PATH), client.post)
