"""Observations as a source of search: their messages, for their owner only."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from memoryserver.home.addresses import address_of
from memoryserver.search.sources import Description, Filter, Source
from memoryserver.vectors.models import Record
from obslog import reading
from obslog.indexing import COLLECTION
from obslog.models import Observation
from obslog.query import load_scope_ids

_MAX_SCOPES = 5


def describe(records: Sequence[Record]) -> Mapping[int, Description]:
    """Describe each observation by its message and scope ids; dropped ones have no description."""
    rows = Observation.objects.filter(pk__in=[uuid.UUID(record.key) for record in records])
    by_key = {(row.user_id, str(row.pk)): row for row in load_scope_ids(list(rows))}
    return {
        record.pk: _description(by_key[record.user_id, record.key])
        for record in records
        if (record.user_id, record.key) in by_key
    }


def _description(row: Observation) -> Description:
    origin = {"from": row.source}
    if row.scope_ids:
        origin["about"] = ", ".join(row.scope_ids[:_MAX_SCOPES])
    size = len(row.message) + (0 if row.details is None else len(row.details) + 2)
    page = address_of(reading.PAGE, row.pk)
    return Description(title="", kind=row.type, text=row.message, origin=origin, size=size, page=page)


SOURCE = Source(
    name=reading.SOURCE,
    collections={COLLECTION: "message"},
    describe=describe,
    filters={"type": Filter("type"), "log_source": Filter("source", prefix=True)},
    # A log has many times more rows than there are entries and learnings, and would displace them in the results.
    by_default=False,
    read=reading.read,
    near=reading.near,
)
