"""The turns around the first results, where these are turns of a conversation.

Of a conversation each turn is a text that begins with its speaker, stored after the one before it: so the turns around
one are the records of the same user, project and collection before and after it, in the order of their time and id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import orjson

from memoryserver.search.engine import QueryVector
from memoryserver.search.plan import Scope
from memoryserver.search.questions import speakers

_BEFORE, _AFTER = 2, 3
"""How many turns before and after each result are read: of the two that follow it, also the one after."""

_REACH = 10
"""Ids before and after a result among which its neighbours are looked for: others may store at the same time."""

_PAUSE = timedelta(hours=6)
"""Between two turns of the same conversation at most."""

_LONGEST = 1_000  # characters of a text that are read

_AROUND = """
SELECT record.id, ARRAY[record.user_id, coalesce(record.project_id, 0)], record.collection, nearby.place,
    record.created_at, left(record.text, %(longest)s), 1 - (record.embedding <=> %(vector)s::vector), codes.codes
FROM (
    SELECT id, row_number() OVER own AS place,
        bool_or(id = ANY(%(first)s)) OVER (own ROWS BETWEEN %(after)s PRECEDING AND %(before)s FOLLOWING) AS is_read
    FROM (
        SELECT stored.id, stored.user_id, stored.project_id, stored.collection, stored.created_at
        FROM scope JOIN vectors_record AS stored USING (id) WHERE scope.id = ANY(%(ids)s::bigint[])
        AND scope.collection = ANY(ARRAY(
            SELECT name FROM vectors_collection
            WHERE name = ANY(%(collections)s) AND model = %(model)s AND dimension = %(dimension)s
        ))
    ) AS around WINDOW own AS (PARTITION BY user_id, project_id, collection ORDER BY created_at, id)
) AS nearby JOIN vectors_record AS record USING (id) LEFT JOIN vectors_tokencodes AS codes ON record_id = record.id
WHERE is_read ORDER BY 2, 3, nearby.place
"""


class Turn(NamedTuple):
    """A record near a result: whose it is, its place among that one's, its text and how near it is to the query.

    `cosine` is None if it is not embedded, `codes` if it has no token codes.
    """

    record_id: int
    owner: Sequence[int]
    collection: str
    place: int
    created_at: datetime
    text: str
    cosine: float | None
    codes: bytes | None

    def is_next_to(self, other: Turn) -> bool:
        """Return whether this is stored right after `other`, as the next turn of the same conversation would be."""
        return (self.owner, self.collection, self.place - 1) == (
            other.owner,
            other.collection,
            other.place,
        ) and self.created_at - other.created_at <= _PAUSE


@dataclass(frozen=True)
class Conversations:
    """Turns by record, and of each the turns beside it: record by distance, -1 being the one before it."""

    turns: Mapping[int, Turn]
    beside: Mapping[int, Mapping[int, int]]

    @classmethod
    def of(cls, turns: Sequence[Turn]) -> Conversations:
        """Return those of `turns`, which are in order."""
        beside: dict[int, dict[int, int]] = {turn.record_id: {} for turn in turns}
        conversation: list[Turn] = []
        for turn in turns:
            if not speakers.is_turn(turn.text):
                conversation = []
                continue
            if conversation and not turn.is_next_to(conversation[-1]):
                conversation = []
            for distance, other in enumerate(reversed(conversation[-_BEFORE:]), 1):
                beside[turn.record_id][-distance] = other.record_id
                beside[other.record_id][distance] = turn.record_id
            conversation.append(turn)
        return cls({turn.record_id: turn for turn in turns}, beside)


def around(scope: Scope, records: Sequence[int], query: QueryVector) -> Conversations:
    """Return `records` and the turns around them, those of `scope` whose vectors are of the query's model."""
    found = scope.rows(
        _AROUND,
        prepared=True,
        binary=True,
        first=list(records),
        ids=_array({record + step for record in records for step in range(-_REACH, _REACH + 1)}),
        before=_BEFORE,
        after=_AFTER,
        longest=_LONGEST,
        vector=orjson.dumps(list(query.vector)).decode(),
        model=query.model,
        dimension=len(query.vector),
        collections=list(query.collections),
    )
    return Conversations.of(list(map(Turn._make, found)))


def _array(ids: Iterable[int]) -> str:
    """Return an array as Postgres writes it: of hundreds the driver takes half a millisecond."""
    return f"{{{','.join(map(str, ids))}}}"
