"""Queries of learnings: visibility, filters and permissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import Http404
from django.utils import timezone

from capture.belief.rules import judge, provisional
from capture.belief.sessions import SILENCE
from capture.belief.sources import SOURCES
from capture.local import LEARNING_TYPES
from capture.models import Learning, LearningChange, LearningSource
from memoryserver import agent_sessions, keyset
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import changeable_among, changeable_rows, own_rows, viewer, visible_rows
from memoryserver.common.text import clean
from memoryserver.errors import InvalidInputError
from memoryserver.home.scope import EVERYTHING
from memoryserver.statements.compiled import TIME, USER, CompiledRows

State = Literal["shown", "pinned", "corrected", "provisional", "merged", "hidden", "all"]
STATES: tuple[str, ...] = get_args(State)
MAX_LIMIT = 200
MAX_TEXT = 500
MAX_SOURCES = 100
MAX_PROVISIONAL = 500

_SHOWN: Mapping[str, Any] = {"hidden": False, "merged_into": None}
_NOT_ONLY_SHOWN = ("all", "merged", "hidden")
_LISTED = (
    *("type", "content", "source", "confidence", "files", "tools", "is_report", "judge_verdict"),
    *("seen_count", "first_seen", "last_seen", "pinned", "hidden", "merged_into", "by_hand_at", "by_hand_by"),
    *("by_hand_session", "user__username", "project__key"),
)
"""What lists show, and the API says, of a learning; any other field is read at its first use."""

_PINNED_FIRST = ("-pinned", "-last_seen", "-pk")


@dataclass(frozen=True)
class Filter:
    """The filters of a query; empty ones match everything. The state `shown` is what is neither hidden nor merged."""

    project: str = ""
    type: str = ""
    text: str = ""
    state: State = "shown"
    mine: bool = False
    source: str = ""


@dataclass(frozen=True)
class Page:
    """Judged learnings, pinned first, then the last seen; `next_cursor` is None at the end.

    `changeable` are the primary keys of those that the user may change.
    """

    learnings: Sequence[Learning]
    next_cursor: str | None
    changeable: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Origin:
    """The message of a transcript that a learning comes from; unknown attributes are "".

    `user` is whose agent it was, and `wording` that of the learning that was merged, "" if none was.
    """

    user: str
    wording: str
    context_id: str
    transcript: str
    agent_kind: str
    agent: str
    session_id: str
    branch: str
    message_index: int
    message_uuid: str
    message_time: datetime | None
    captured_at: datetime
    received_at: datetime
    quote: str = ""
    session_page: str = ""


@dataclass(frozen=True)
class Origins:
    """Messages that a learning comes from, the latest first; `next_cursor` is None at the end."""

    origins: Sequence[Origin]
    next_cursor: str | None


def find(
    user: User | AnonymousUser, filters: Filter, *, limit: int = 50, cursor: str = "", within: Q = EVERYTHING
) -> Page:
    """Return the page after `cursor` of the learnings `within` a scope that `user` may see.

    Raises InvalidInputError for invalid arguments.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInputError(f"limit: must be from 1 to {MAX_LIMIT}")
    rows = _found(user, filters, within).only(*_LISTED)
    page = keyset.page_of(rows, _PINNED_FIRST, limit=limit, cursor=cursor)
    return Page(judge(page.rows), page.next_cursor, changeable_among(page.rows, user))


def how_many(user: User | AnonymousUser, filters: Filter, within: Q = EVERYTHING) -> str:
    """Return how many learnings all pages of `find` have, in words. Raises InvalidInputError."""
    return keyset.how_many(_found(user, filters, within), "learning")


def _found(user: User | AnonymousUser, filters: Filter, within: Q) -> QuerySet[Learning]:
    rows = visible(user) if filters.state in _NOT_ONLY_SHOWN else shown(user)
    return _filtered(rows.filter(within), user, filters)


def visible(user: User | AnonymousUser) -> QuerySet[Learning]:
    """Return the learnings that `user` may see; hidden ones only if they may change them."""
    rows = visible_rows(Learning.objects.select_related("user", "project"), user)
    return rows.filter(Q(hidden=False) | Q(pk__in=changeable_rows(Learning.objects.filter(hidden=True), user)))


def shown(user: User | AnonymousUser) -> QuerySet[Learning]:
    """Return the learnings that `user` may see and that are neither hidden nor merged."""
    return visible_rows(Learning.objects.select_related("user", "project").filter(**_SHOWN), user)


def may_change(user: User | AnonymousUser, learning: Learning) -> bool:
    """Return whether `user`, who sees `learning`, may correct, pin and hide it: it is theirs, or they manage its
    project.
    """
    return learning.pk in changeable_among([learning], user)


def get(user: User | AnonymousUser, key: int) -> Learning:
    """Return the learning `key`, judged, with its changes. Raises Http404 if `user` cannot see it."""
    changes = LearningChange.objects.select_related("made_by")
    rows = visible(user).filter(pk=key).prefetch_related(Prefetch("changes", changes))
    learning = next(iter(judge(rows)), None)
    if learning is None:
        raise Http404("learning not found")
    return learning


def origins(learning: Learning, viewer: User | AnonymousUser, cursor: str = "") -> Origins:
    """Return the page after `cursor` of the messages that `learning`, and what was merged into it, come from.

    The page of a session is only there if `viewer` may see it. Raises InvalidCursorError.
    """
    wordings = Learning.objects.filter(Q(pk=learning.pk) | Q(merged_into=learning)).order_by().values("pk")
    sources = LearningSource.objects.filter(learning__in=wordings).select_related("capture__state__user", "learning")
    page = keyset.page_of(sources, ("-capture__received_at", "-pk"), limit=MAX_SOURCES, cursor=cursor)
    sessions = {(source.capture.state.user_id, source.capture.agent_session) for source in page.rows}
    pages = agent_sessions.pages_of(viewer, sessions)
    return Origins([_origin(source, learning, pages) for source in page.rows], page.next_cursor)


def merged(learning: Learning) -> Sequence[Learning]:
    """Return the learnings that were merged into `learning`, the oldest first."""
    return list(learning.merged.select_related("user").order_by("pk"))


def _origin(source: LearningSource, shown: Learning, pages: Mapping[tuple[int, str], str]) -> Origin:
    capture, state = source.capture, source.capture.state
    attributes = {name: str(capture.metadata.get(name) or "") for name in ("agent", "session_id", "branch")}
    return Origin(
        user=str(state.user),
        wording="" if source.learning_id == shown.pk else source.learning.content,
        context_id=state.context_id,
        transcript=state.transcript or str(capture.metadata.get("transcript") or ""),
        agent_kind=state.agent_kind,
        message_index=source.message_index,
        message_uuid=source.message_uuid,
        message_time=source.message_time,
        captured_at=capture.captured_at,
        received_at=capture.received_at,
        quote=source.quote,
        session_page=pages.get((state.user_id, capture.agent_session), ""),
        **attributes,
    )


def _filtered(rows: QuerySet[Learning], owner: User | AnonymousUser, filters: Filter) -> QuerySet[Learning]:
    _check("type", filters.type, LEARNING_TYPES)
    _check("source", filters.source, SOURCES)
    _check("state", filters.state, STATES)
    if len(filters.text) > MAX_TEXT:
        raise InvalidInputError(f"text: at most {MAX_TEXT} characters")
    if filters.mine:
        rows = own_rows(rows, owner)
    if filters.project:
        rows = rows.filter(project__key=clean(filters.project))
    if filters.type:
        rows = rows.filter(type=filters.type)
    if filters.source:
        rows = rows.filter(source=filters.source)
    for word in clean(filters.text).split():
        rows = rows.filter(content__icontains=word)
    return _in_state(rows, filters.state)


def _in_state(rows: QuerySet[Learning], state: State) -> QuerySet[Learning]:
    if state == "all":
        return rows
    if state == "merged":
        return rows.exclude(merged_into=None)
    if state == "corrected":
        corrected = LearningChange.objects.filter(learning=OuterRef("pk"), what=LearningChange.What.CORRECTED)
        rows = rows.filter(Exists(corrected))
    if state == "pinned":
        rows = rows.filter(pinned=True)
    if state == "provisional":
        rows = provisional(rows)
    return rows.filter(hidden=True) if state == "hidden" else rows


def provisional_keys(user: User | AnonymousUser, within: Q = EVERYTHING) -> Sequence[int]:
    """Return the keys of the shown learnings `within` a scope that wait for the end of their session.

    At most MAX_PROVISIONAL.
    """
    silent_since = timezone.now() - SILENCE
    keys = [key for (key,) in _PROVISIONAL.rows(user=viewer(user), time=silent_since)]
    if not keys or within == EVERYTHING:
        return keys
    return list(_provisional(user, silent_since).filter(within).values_list("pk", flat=True)[:MAX_PROVISIONAL])


def _provisional(user: User | AnonymousUser, silent_since: datetime) -> QuerySet[Learning]:
    running = LearningSource.objects.filter(capture__state__last_activity_at__gt=silent_since)
    return provisional(shown(user).filter(pk__in=running.values("learning")), silent_since).order_by("-pk")


_PROVISIONAL = CompiledRows(
    lambda: _provisional(User(pk=USER), TIME).values_list("pk")[:MAX_PROVISIONAL], is_planned_once=False
)


def _check(name: str, value: str, choices: Sequence[str]) -> None:
    if value and value not in choices:
        raise InvalidInputError(f"{name}: must be one of {', '.join(choices)}")
