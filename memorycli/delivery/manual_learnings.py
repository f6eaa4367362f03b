"""Learnings that somebody stores by hand: into the outbox first, from there to the server."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryserver.client import home_folder
from memoryserver.client.http import Client
from memoryserver.client.outbox import Delivery, Outbox
from memoryserver.common.ids import uuid7
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean_json

OUTBOX_KIND = "learnings"
PATH = "/learnings"
_CUT = re.compile(r"\[redacted:[\w-]+\]")


def body(*, type: str, content: str, project: str, files: Sequence[str] = ()) -> dict[str, object]:  # noqa: A002
    """What is sent: without secrets. `project` is a project's key. ValueError where nothing is left to say."""
    said = redact(content).text.strip()
    if not _CUT.sub("", said).strip():
        raise ValueError("nothing is left of the content once secrets and private parts are cut out")
    return {"type": type, "content": said, "project": project, "files": list(files)}


def keep(content: dict[str, object]) -> str:
    """Put what `body` made into the outbox, from which `deliver` sends it; its id there. Raises OSError."""
    identifier = str(uuid7())
    Outbox(home_folder.path(), OUTBOX_KIND).put(identifier, clean_json(content))
    return identifier


def deliver(client: Client, *, retry_refused: bool = False) -> Delivery:
    """Send what waits, each by itself: the server knows a learning by its wording. Raises ServerError."""
    outbox = Outbox(home_folder.path(), OUTBOX_KIND)
    if retry_refused:
        outbox.put_back()
    return outbox.deliver(lambda content: client.post(PATH, content))


def waiting() -> int:
    """How many wait to be sent."""
    return len(Outbox(home_folder.path(), OUTBOX_KIND).waiting())


def why_refused(identifier: str) -> str | None:
    """Why the server would not have it, None where it took it or was not asked."""
    return Outbox(home_folder.path(), OUTBOX_KIND).why_refused(identifier)
