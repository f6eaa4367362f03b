"""How often learnings were put into a context, returned by a search, opened, quoted, followed and contradicted.

There is one row of counters for each learning, and one statement for each context or page of hits. `belief.answers`
says which answers count as what.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import date
from functools import cache
from typing import Literal, get_args

from django.db import DatabaseError
from django.db.models import Q
from django.utils import timezone
from psycopg import sql

from capture.models import Learning, LearningUsage
from memoryserver.statements import aside

logger = logging.getLogger(__name__)

Use = Literal["shown", "returned", "opened", "quoted", "followed", "contradicted"]

USES: tuple[Use, ...] = get_args(Use)

_BY_DAY: tuple[Use, ...] = ("shown", "followed")
"""Uses of which days are counted: many sessions may begin on one, and a command may run every minute."""


def count(use: Use, keys: Iterable[int], day: date | None = None) -> None:
    """Count one use of each of the learnings `keys` on `day` (UTC), by default today.

    Those that do not exist are ignored. Where days are counted, one that becomes known after a later one is not.

    A search or a context must not fail because of this, so an error of the database is only logged.
    """
    ids = sorted(set(keys))
    if not ids:
        return
    try:
        aside.write(_statement(use), {"ids": ids, "day": day or timezone.now().date()})
    except DatabaseError:
        logger.exception("a use of learnings was not counted", extra={"use": use})


def was_given(keys: Iterable[int]) -> list[int]:
    """Return those of the learnings `keys` that were put into a context or returned by a search, in order."""
    given = LearningUsage.objects.filter(Q(shown__gt=0) | Q(returned__gt=0), learning__in=list(keys))
    return list(given.order_by("learning").values_list("learning", flat=True))


def uses(learning: Learning) -> dict[str, int]:
    """Return the counters of `learning` by use; `shown` and `followed` count days."""
    usage = LearningUsage.objects.filter(learning=learning).values(*USES).first()
    return usage or dict.fromkeys(USES, 0)


@cache
def _statement(use: Use) -> str:
    """Return the statement that counts one use of the learnings `ids` on `day`, its parameters."""
    counters = {name: sql.SQL("1" if name == use else "0") for name in USES}
    days = {f"{name}_on": sql.SQL("%(day)s::date" if name == use else "NULL::date") for name in _BY_DAY}
    first = counters | days
    statement = sql.SQL(
        "INSERT INTO capture_learningusage AS usage (learning_id, {names}) "
        "SELECT id, {values} FROM capture_learning WHERE id = ANY(%(ids)s) ORDER BY id "  # in one order: no deadlock
        "ON CONFLICT (learning_id) DO UPDATE SET {update}"
    ).format(
        names=sql.SQL(", ").join(map(sql.Identifier, first)),
        values=sql.SQL(", ").join(first.values()),
        update=_update(use),
    )
    return statement.as_string(None)


def _update(use: Use) -> sql.Composed:
    """Return the change of a row that exists."""
    name, day = sql.Identifier(use), sql.Identifier(f"{use}_on")
    if use not in _BY_DAY:
        return sql.SQL("{name} = usage.{name} + 1").format(name=name)
    return sql.SQL(
        "{name} = usage.{name} + 1, {day} = EXCLUDED.{day} WHERE usage.{day} IS NULL OR usage.{day} < EXCLUDED.{day}"
    ).format(name=name, day=day)
