"""Learnings as a source of search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from capture import reading
from capture.belief.contradicted import later
from capture.belief.rules import is_contradicted
from capture.belief.sessions import SILENCE, is_provisional
from capture.documents import COLLECTION
from capture.local import LEARNING_TYPES
from capture.models import Learning, LearningSource
from memoryserver.home.addresses import address_of
from memoryserver.search.sources import Description, Filter, Source
from memoryserver.statements import compiled
from memoryserver.vectors.models import Record


def describe(records: Sequence[Record]) -> Mapping[int, Description]:
    """Describe each learning by its content and first source, as a hit of a search.

    Hidden, merged and deleted ones have no description.
    """
    found = _LEARNINGS.rows(ids=[int(record.key) for record in records], time=timezone.now() - SILENCE)
    learnings = {str(row[0]): _Learning(*row) for row in found}
    return {
        record.pk: _description(learning)
        for record in records
        if (learning := learnings.get(record.key)) and not learning.hidden and learning.merged_into is None
    }


class _Learning(NamedTuple):
    """What a description needs of a learning; `context` and `message` are those of its first source."""

    pk: int
    type: str
    content: str
    source: str
    seen_count: int
    hidden: bool
    merged_into: int | None
    pinned: bool
    judge_verdict: str
    provisional: bool
    contradicted: bool
    context: str | None
    message: int | None


def _state(learning: _Learning) -> str:
    """Return what people who find the learning must know before they believe it, or ""."""
    if learning.contradicted:
        return "contradicted"
    if learning.judge_verdict == "rejected" and not learning.pinned:
        return "rejected"
    return "provisional" if learning.provisional else ""


def _described() -> QuerySet[Learning, Any]:
    sources = LearningSource.objects.filter(learning=OuterRef("pk")).order_by("capture__received_at", "message_index")
    return Learning.objects.filter(pk__in=[compiled.IDS]).order_by().values_list(
        *("pk", "type", "content", "source", "seen_count", "hidden", "merged_into", "pinned", "judge_verdict"),
        is_provisional(compiled.TIME),
        is_contradicted(),
        Subquery(sources.values("capture__state__context_id")[:1]),
        Subquery(sources.values("message_index")[:1]),
    )  # fmt: skip


_LEARNINGS = compiled.CompiledRows(_described)


def _description(learning: _Learning) -> Description:
    origin = {"seen": str(learning.seen_count), "source": learning.source}
    if state := _state(learning):
        origin["state"] = state
    if learning.context is not None:
        origin |= {"transcript": learning.context, "message": str(learning.message)}
    page = address_of("learning", learning.pk)
    return Description(title="", kind=learning.type, text=learning.content, origin=origin, page=page)


SOURCE = Source(
    name=reading.SOURCE,
    collections={COLLECTION: "learning"},
    describe=describe,
    filters={"type": Filter("type", LEARNING_TYPES)},
    read=reading.read,
    near=reading.near,
    later=later,
)
