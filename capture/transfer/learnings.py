"""Learnings as a kind of data to export and import."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from ninja import Schema
from pydantic import Field, ValidationError

from capture import identities
from capture.belief.sources import Source
from capture.documents import stage
from capture.incoming import MAX_CONTENT, LearningType, Names
from capture.local.extraction.status_reports import is_status_report
from capture.models import Learning
from capture.sink import EMBED_JOB
from memoryserver.accounts.models import Project, User
from memoryserver.accounts.transfer.kinds import Kind, Outcome
from memoryserver.jobs import enqueue
from memoryserver.reported_times import UtcDatetime


class _Item(Schema):
    """A learning without author and project."""

    type: LearningType
    content: str = Field(min_length=1, max_length=MAX_CONTENT)
    source: Source
    confidence: float = Field(ge=0, le=1)
    reasons: list[str] = []
    files: Names = []
    tools: Names = []
    seen_count: int = Field(1, ge=1, le=2**31 - 1)
    first_seen: UtcDatetime
    last_seen: UtcDatetime
    hidden: bool = False
    pinned: bool = False
    by_hand_at: datetime | None = None
    by_hand_by: Literal["", "agent", "person"] = ""


_FIELDS = tuple(_Item.model_fields)


def _item_of(row: Learning) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _FIELDS}


def _load(user: User, project: Project | None, items: Sequence[dict[str, Any]]) -> Sequence[Outcome]:
    with transaction.atomic():
        identities.lock(user)
        return [_load_one(user, project, item) for item in items]


def _load_one(user: User, project: Project | None, item: dict[str, Any]) -> Outcome:
    """Store a learning whose wording the user never had in the project; one that was deleted stays deleted."""
    try:
        incoming = _Item.model_validate(item)
    except ValidationError as error:
        first = error.errors()[0]
        return Outcome("refused", f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    content = identities.wording(incoming.content)
    if not content:
        return Outcome("refused", "content: empty without secrets and private parts")
    claimed, new = identities.claim(user, project, incoming.type, content)
    if not new:
        return Outcome("unchanged")
    fields = incoming.dict() | {"content": content, "content_digest": identities.text_digest(content)}
    fields["is_report"] = is_status_report(incoming.type, content)
    claimed.learning = Learning.objects.create(user=user, project=project, **fields)
    claimed.save(update_fields=["learning"])
    stage(user, project, [claimed.learning])
    enqueue(EMBED_JOB)
    return Outcome("stored")


KIND = Kind("capture.learning", Learning.objects.all, _item_of, _load)
