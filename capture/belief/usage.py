"""How often learnings were put into a context, returned by a search, opened and quoted.

There is one row of counters for each learning, and one statement for each context or page of hits.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Literal, get_args

from django.db import DatabaseError, connection, transaction
from psycopg import sql

from capture.models import Learning, LearningUsage

logger = logging.getLogger(__name__)

Use = Literal["shown", "returned", "opened", "quoted"]


USES: tuple[Use, ...] = get_args(Use)

# A laptop fetches its context every hour, so days are counted, with one write for each.
_UPDATE = {
    "shown": "shown = usage.shown + 1, shown_on = CURRENT_DATE WHERE usage.shown_on IS DISTINCT FROM CURRENT_DATE",
    "returned": "returned = usage.returned + 1",
    "opened": "opened = usage.opened + 1",
    "quoted": "quoted = usage.quoted + 1",
}


def count(use: Use, keys: Iterable[int]) -> None:
    """Count one use of each of the learnings `keys`; those that do not exist are ignored.

    A search or a context must not fail because of this, so an error of the database is only logged.
    """
    ids = sorted(set(keys))
    if not ids:
        return
    first: dict[str, sql.SQL] = {name: sql.SQL("1" if name == use else "0") for name in USES}
    first["shown_on"] = sql.SQL("CURRENT_DATE" if use == "shown" else "NULL::date")
    statement = sql.SQL(
        "INSERT INTO capture_learningusage AS usage (learning_id, {names}) "
        "SELECT id, {values} FROM capture_learning WHERE id = ANY(%s) ORDER BY id "  # in one order: no deadlock
        "ON CONFLICT (learning_id) DO UPDATE SET {update}"
    ).format(
        names=sql.SQL(", ").join(map(sql.Identifier, first)),
        values=sql.SQL(", ").join(first.values()),
        update=sql.SQL(_UPDATE[use]),
    )
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, [ids])
    except DatabaseError:
        logger.exception("a use of learnings was not counted", extra={"use": use})


def uses(learning: Learning) -> dict[str, int]:
    """Return the counters of `learning` by use; `shown` counts days."""
    usage = LearningUsage.objects.filter(learning=learning).values(*USES).first()
    return usage or dict.fromkeys(USES, 0)
