"""Contexts that laptops kept and gave to sessions themselves: each is recorded once, as of when a session got it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import connection, transaction
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.accounts.projects import known_project, stored_key
from memoryserver.common.text import clean, one_line
from memoryserver.inquiries import documents as counters
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import KEPT_DAYS, MAX_SESSION
from memoryserver.reported_times import credible

_INSERT = """
    INSERT INTO inquiries_inquiry
        (user_id, project_id, kind, way, words, found, agent_session, documents, asked_at, client_id)
    SELECT %(user)s, new.project, 'context', new.way, '', new.found, new.session, new.documents, new.at, new.id
    FROM jsonb_to_recordset(%(rows)s::jsonb) AS new (
        id text, project bigint, way text, found int, session text, documents text[], at timestamptz
    )
    ORDER BY new.id  -- in one order: no deadlock
    ON CONFLICT (user_id, client_id) WHERE client_id <> '' DO NOTHING
    RETURNING client_id
"""


@dataclass(frozen=True)
class Delivery:
    """A context that reached a session, with an id made by the laptop: `lines` of it, among them those of `documents`.

    `project` is a project's key, `session` the agent's id of the session, "" if it is not known.
    """

    id: str
    project: str
    session: str
    way: Inquiry.Way
    lines: int
    documents: Sequence[str]
    delivered_at: datetime


def receive(user: User, deliveries: Sequence[Delivery]) -> set[str]:
    """Record and count what was delivered to sessions of `user`; return the ids of what was not known before.

    One that is sent again has no effect, nor has one from before KEPT_DAYS, whose record would not be kept. Documents
    that the user may not see, or that are gone, are left out.
    """
    now = timezone.now()
    times = {each.id: credible(each.delivered_at, now) for each in deliveries}
    recent = {each.id: each for each in deliveries if times[each.id] >= now - timedelta(days=KEPT_DAYS)}
    visible = counters.pages(user, {name for each in recent.values() for name in each.documents})
    documents = {
        key: [name for name in dict.fromkeys(each.documents) if name in visible] for key, each in recent.items()
    }
    projects = {key: _project(user, key) for key in {each.project for each in recent.values()}}
    rows: list[dict[str, object]] = [
        {
            "id": each.id,
            "project": projects[each.project],
            "way": each.way,
            "found": each.lines,
            "session": one_line(clean(each.session))[:MAX_SESSION],
            "documents": documents[each.id],
            "at": times[each.id].isoformat(),
        }
        for each in recent.values()
    ]
    with transaction.atomic():
        new = _insert(user, rows)
        _count((times[key].date(), documents[key]) for key in new)
    return new


def _project(user: User, key: str) -> int | None:
    project = known_project(user, stored_key(key)) if key else None
    return project.pk if project else None


def _insert(user: User, rows: Sequence[dict[str, object]]) -> set[str]:
    """Insert those that are not known yet, and return their ids."""
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, {"user": user.pk, "rows": json.dumps(rows)})
        return {key for (key,) in cursor.fetchall()}


def _count(deliveries: Iterable[tuple[date, Sequence[str]]]) -> None:
    """Count the documents of each day, the earliest day first."""
    by_day: dict[date, list[str]] = {}
    for day, documents in deliveries:
        by_day.setdefault(day, []).extend(documents)
    for day in sorted(by_day):
        counters.count(Inquiry.Kind.CONTEXT, by_day[day], day)
