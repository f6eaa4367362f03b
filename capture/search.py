"""Learnings as a source of search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.urls import reverse

from capture import reading
from capture.belief import usage
from capture.belief.rules import judged, judgement
from capture.documents import COLLECTION
from capture.local import LEARNING_TYPES
from capture.models import Learning
from memoryserver.search.sources import Description, Filter, Source
from memoryserver.vectors.models import Record


def describe(records: Sequence[Record]) -> Mapping[int, Description]:
    """Describe each learning by its content and first source, as a hit of a search, which is counted.

    Hidden, merged and deleted ones have no description.
    """
    learnings = judged(Learning.objects.prefetch_related("sources__capture__state")).in_bulk(
        [int(record.key) for record in records]
    )
    usage.count("returned", learnings)
    return {
        record.pk: _description(learning)
        for record in records
        if (learning := learnings.get(int(record.key))) and not learning.hidden and learning.merged_into_id is None
    }


def _description(learning: Learning) -> Description:
    origin = {"seen": str(learning.seen_count), "source": learning.source}
    if judgement(learning).provisional:
        origin["state"] = "provisional"
    sources = learning.sources.all()  # prefetched, the latest capture first
    first = min(sources, key=lambda source: (source.capture.received_at, source.message_index), default=None)
    if first is not None:
        origin["transcript"] = first.capture.state.context_id
        origin["message"] = str(first.message_index)
    page = reverse("learning", args=[learning.pk])
    return Description(title="", kind=learning.type, text=learning.content, origin=origin, page=page)


SOURCE = Source(
    name=reading.SOURCE,
    collections={COLLECTION: "learning"},
    describe=describe,
    filters={"type": Filter("type", LEARNING_TYPES)},
    read=reading.read,
    near=reading.near,
)
