"""The turns around the first results, where these are turns of a conversation.

Of a conversation each turn is a text that begins with its speaker, stored after the one before it: so the turns beside
one are the records of the same user, project and collection that were stored before and after it, whether the search
would find them or not. Those who may see a record may see its neighbours too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import orjson

from memoryserver.search.engine import QueryVector
from memoryserver.search.plan import Scope
from memoryserver.search.questions import speakers
from memoryserver.search.sources import with_turns

DISTANCE = 2
"""How far before and after a turn those beside it are."""

_REACH = 300
"""Ids before and after a record among which the next one of its user is looked for, so that few of others are read."""

_PAUSE = timedelta(hours=6)
"""Between two turns of the same conversation at most."""

_LONGEST = 1_000  # characters of a text that are read

_SAME = """
    other.user_id = {record}.user_id AND other.collection = {record}.collection
    AND other.project_id IS NOT DISTINCT FROM {record}.project_id
"""
_BEFORE = (
    f"FROM vectors_record AS other WHERE {_SAME} AND other.id < {{record}}.id AND other.id >= {{record}}.id - {_REACH}"
)
_AFTER = (
    f"FROM vectors_record AS other WHERE {_SAME} AND other.id > {{record}}.id AND other.id <= {{record}}.id + {_REACH}"
)

# Of a result the records around the two that follow it are read too.
_AROUND = f"""
SELECT record.id, record.collection, (SELECT max(other.id) {_BEFORE.format(record="record")}), record.created_at,
    left(record.text, {_LONGEST}), right(rtrim(record.text), 1) = '?',
    nullif(1 - (record.embedding <=> %(vector)s::vector), 'NaN'), codes.codes
FROM (
    SELECT DISTINCT unnest(
        ARRAY(SELECT other.id {_BEFORE.format(record="result")} ORDER BY other.id DESC LIMIT {DISTANCE})
        || result.id
        || ARRAY(SELECT other.id {_AFTER.format(record="result")} ORDER BY other.id LIMIT {DISTANCE + 1})
    ) AS id
    FROM scope JOIN vectors_record AS result USING (id)
    WHERE scope.id = ANY(%(records)s) AND scope.collection = ANY(ARRAY(
        SELECT name FROM vectors_collection
        WHERE name = ANY(%(collections)s) AND model = %(model)s AND dimension = %(dimension)s
    ))
) AS near JOIN vectors_record AS record USING (id) LEFT JOIN vectors_tokencodes AS codes ON record_id = record.id
ORDER BY record.id
"""  # noqa: S608  (constants)


class Nearby(NamedTuple):
    """A result or a record near one, the record stored before it, and how near it is to the query.

    `previous` and `cosine` are None if there is none, `codes` if it has no token codes. `asks` is whether the text,
    which is cut, ends with a question mark.
    """

    record_id: int
    collection: str
    previous: int | None
    created_at: datetime
    text: str
    asks: bool
    cosine: float | None
    codes: bytes | None


@dataclass(frozen=True)
class Conversations:
    """Records by id, and of each the turns beside it: record by distance, -1 being the one before it."""

    records: Mapping[int, Nearby]
    beside: Mapping[int, Mapping[int, int]]

    @classmethod
    def of(cls, rows: Sequence[Nearby]) -> Conversations:
        """Return those of `rows`, which are in the order of their ids."""
        records = {row.record_id: row for row in rows}
        spoken = frozenset(with_turns({row.collection for row in rows}))
        turns = {row.record_id for row in rows if row.collection in spoken and speakers.is_turn(row.text)}
        beside: dict[int, dict[int, int]] = {record: {} for record in records}
        for row in rows:
            turn = row
            for distance in range(1, DISTANCE + 1):
                before = records.get(turn.previous or 0)
                if before is None or not {turn.record_id, before.record_id} <= turns or not _is_near(turn, before):
                    break
                beside[row.record_id][-distance] = before.record_id
                beside[before.record_id][distance] = row.record_id
                turn = before
        return cls(records, beside)


def around(scope: Scope, records: Sequence[int], query: QueryVector) -> Conversations:
    """Return those of `records` whose vectors are of the query's model, and the records around them."""
    rows = scope.rows(
        _AROUND,
        prepared=True,
        binary=True,
        records=list(records),
        vector=orjson.dumps(list(query.vector)).decode(),
        model=query.model,
        dimension=len(query.vector),
        collections=list(query.collections),
    )
    return Conversations.of(list(map(Nearby._make, rows)))


def _is_near(turn: Nearby, before: Nearby) -> bool:
    return abs(turn.created_at - before.created_at) <= _PAUSE
