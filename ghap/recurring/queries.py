"""The failures that a user may see: listed, counted, and one with its entries and what helped.

As with clusters, a failure with an entry that the user may not see is not shown at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils import timezone

from ghap.bodies import cause_of, surprise_of
from ghap.local import Lesson
from ghap.models import Entry, Failure, FailureMember
from memoryserver import keyset
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import viewer, visible_rows
from memoryserver.home.scope import EVERYTHING
from memoryserver.home.weeks import WEEKS, weeks_until
from memoryserver.statements.compiled import IDS, TEXT, TIME, USER, CompiledRows
from memoryserver.statements.for_each import ExistsForEach

MAX_MEMBERS = 100
MAX_LESSONS = 10
MOST_FREQUENT = 6
Sort = Literal["recent", "frequent"]
ORDERS: Mapping[Sort, tuple[str, ...]] = {"recent": ("-last_seen", "-pk"), "frequent": ("-size", "-last_seen", "-pk")}


@dataclass(frozen=True)
class SeenFailure:
    """A failure; `title` is its name or, without one, the goal of its example.

    `gone` is one that the last recount did not find; most of its entries are in the failure `continued_in`, if any.
    """

    key: int
    title: str
    name: str
    state: str
    state_since: datetime
    state_by: str
    project: str | None
    user: str | None
    size: int
    terms: Sequence[str]
    first_seen: datetime
    last_seen: datetime
    example: int | None
    surprise: str
    cause: str
    gone: bool
    continued_in: int | None


@dataclass(frozen=True)
class Failures:
    """A page of failures; `next_cursor` is None at the end."""

    failures: Sequence[SeenFailure]
    next_cursor: str | None


@dataclass(frozen=True)
class Members:
    """Entries of a failure, the latest first; `next_cursor` is None at the end."""

    entries: Sequence[Entry]
    next_cursor: str | None


def find(
    user: User | AnonymousUser,
    *,
    states: Sequence[str] = (),
    project: str | None = None,
    sort: Sort = "recent",
    limit: int = 20,
    cursor: str = "",
    within: Q = EVERYTHING,
) -> Failures:
    """Return at most `limit` failures after `cursor`, without gone ones; in `states` and `project` if given.

    `project` is a project's key, `within` the condition of a scope. Raises InvalidCursorError.
    """
    rows = _visible(user).filter(within, gone_at=None)
    if states:
        rows = rows.filter(state__in=states)
    if project:
        rows = rows.filter(project__key=project)
    page = keyset.page_of(rows.only("size", "last_seen"), ORDERS[sort], limit=limit, cursor=cursor)
    return Failures(_in_order([row.pk for row in page.rows]), page.next_cursor)


def most_frequent(user: User | AnonymousUser, project: str) -> Sequence[SeenFailure]:
    """Return the MOST_FREQUENT failures of the project with that key, the most frequent first, without gone ones."""
    return _in_order([key for (key,) in _FREQUENT.rows(user=viewer(user), text=project)])


def counts(user: User | AnonymousUser, *, project: str | None = None, within: Q = EVERYTHING) -> dict[str, int]:
    """Return the number of failures in each state, without gone ones."""
    rows = _visible(user, Exists).filter(within, gone_at=None)
    if project:
        rows = rows.filter(project__key=project)
    counted = dict(rows.order_by().values_list("state").annotate(count=Count("pk")))
    return {state: counted.get(state, 0) for state in Failure.State.values}


def row_of(user: User | AnonymousUser, key: int) -> Failure:
    """Return the row of the failure, also of a gone one. Raises Http404 if `user` can see no such failure."""
    row = _visible(user).filter(pk=key).first()
    if row is None:
        raise Http404("failure not found")
    return row


def with_entry(user: User | AnonymousUser, entry: Entry) -> Sequence[SeenFailure]:
    """Return the failures that `entry` is one of, without gone ones, the most frequent first."""
    rows = _visible(user).filter(gone_at=None)
    rows = rows.filter(Exists(FailureMember.objects.filter(failure=OuterRef("pk"), entry=entry)))
    return _in_order(list(rows.order_by(*ORDERS["frequent"]).values_list("pk", flat=True)))


def members(row: Failure, *, limit: int = MAX_MEMBERS, cursor: str = "") -> Members:
    """Return the entries of a failure of `row_of` after `cursor`, the latest first. Raises InvalidCursorError."""
    entries = Entry.objects.filter(failures__failure=row).select_related("user", "project")
    page = keyset.page_of(entries, ("-captured_at", "-pk"), limit=limit, cursor=cursor)
    return Members(page.rows, page.next_cursor)


def lessons(keys: Sequence[int]) -> Mapping[int, str]:
    """Return the latest lesson of each of the failures `keys`, which the caller may show; one query."""
    found = {key: Lesson.from_dict(lesson) for key, lesson in _LESSONS.rows(ids=keys) if lesson is not None}
    return {key: (lesson.takeaway or lesson.what_worked).strip() for key, lesson in found.items()}


_LESSONS = CompiledRows(
    lambda: (
        FailureMember.objects.filter(failure__in=[IDS], entry__body__lesson__isnull=False)
        .order_by("failure_id", "-entry__captured_at", "-entry_id")
        .distinct("failure_id")
        .values_list("failure_id", "entry__body__lesson")
    )
)


def weeks(keys: Sequence[int]) -> Mapping[int, Sequence[int]]:
    """Return for each of the failures `keys` its numbers of entries in the last WEEKS calendar weeks, the present last.

    The caller may show them; one query.
    """
    calendar = weeks_until(timezone.now())
    counted = {key: [0] * WEEKS for key in keys}
    for key, moment in _SINCE.rows(ids=keys, time=calendar.starts[0]):
        if moment < calendar.end:
            counted[key][calendar.place_of(moment)] += 1
    return counted


_SINCE = CompiledRows(
    lambda: (
        FailureMember.objects.filter(failure__in=[IDS], entry__captured_at__gte=TIME)
        .order_by()
        .values_list("failure", "entry__captured_at")
    )
)


def what_helped(row: Failure) -> Sequence[tuple[Entry, str]]:
    """Return entries of a failure of `row_of` with the lesson of each, each lesson once, the latest first."""
    entries = Entry.objects.filter(failures__failure=row, body__lesson__isnull=False)
    helped: dict[str, tuple[Entry, str]] = {}
    for entry in entries.select_related("user", "project").order_by("-captured_at", "-pk")[:MAX_MEMBERS]:
        lesson = entry.lesson
        text = (lesson.takeaway or lesson.what_worked).strip() if lesson else ""
        if text:
            helped.setdefault(text.casefold(), (entry, text))
    return list(helped.values())[:MAX_LESSONS]


def _visible(user: User | AnonymousUser, exists: type[Exists] = ExistsForEach) -> QuerySet[Failure]:
    visible_entry = visible_rows(Entry.objects.filter(pk=OuterRef("entry")), user)
    all_members = FailureMember.objects.filter(failure=OuterRef("pk"))
    rows = visible_rows(Failure.objects.all(), user)
    return rows.filter(Exists(all_members), ~exists(all_members.filter(~Exists(visible_entry))))


_FREQUENT = CompiledRows(
    lambda: (
        _visible(User(pk=USER))
        .filter(gone_at=None, project__key=TEXT)
        .order_by(*ORDERS["frequent"])
        .values_list("pk")[:MOST_FREQUENT]
    ),
    is_planned_once=False,  # how many failures the project has decides how they are found best
)


def _in_order(keys: Sequence[int]) -> Sequence[SeenFailure]:
    """Return the failures `keys`, which the caller may show, in their order.

    They are read apart from what finds them: with the rows that belong to each, Postgres would plan twice as long as it
    needs for all the rest. Instances of these rows would take four times as long as the values that are shown.
    """
    rows = {values[0]: values for values in _SHOWN.rows(ids=keys)}
    return [_seen(rows[key]) for key in keys if key in rows]


_COLUMNS = {
    "key": "pk",
    "project": "project__key",
    "user": "user__username",
    **{name: name for name in ("name", "state", "state_since", "size", "terms", "first_seen", "last_seen")},
    "example": "example",
    "continued_in": "continued_in",
}
"""Fields of a SeenFailure that are columns as they are."""

_SHOWN = CompiledRows(
    lambda: (
        Failure.objects.filter(pk__in=[IDS])
        .order_by()
        .values_list(*_COLUMNS.values(), "state_by__username", "gone_at", "example__goal", "example__body")
    )
)


def described(row: Failure) -> SeenFailure:
    """Return a failure of `row_of`. Raises Http404 if it is gone by now."""
    for seen in _in_order([row.pk]):
        return seen
    raise Http404("failure not found")


def _seen(values: Sequence[Any]) -> SeenFailure:
    """Return the failure of a row of _SHOWN."""
    *columns, state_by, gone_at, goal, body = values
    fields = dict(zip(_COLUMNS, columns, strict=True))
    unnamed = str(Failure(pk=fields["key"], terms=fields["terms"])) if goal is None else goal
    return SeenFailure(
        **fields,
        title=fields["name"] or unnamed,
        state_by=state_by or "",
        surprise=surprise_of(body or {}),
        cause=cause_of(body or {}),
        gone=gone_at is not None,
    )
