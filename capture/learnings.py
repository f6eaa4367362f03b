"""Queries of learnings: visibility, filters and permissions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import Http404

from capture.local import LEARNING_TYPES
from capture.models import Learning, LearningChange, LearningSource
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import own_rows, visible_rows
from memoryserver.common.text import clean

State = Literal["shown", "pinned", "corrected", "hidden", "all"]
STATES: tuple[str, ...] = get_args(State)
MAX_LIMIT = 200
MAX_TEXT = 500
MAX_SOURCES = 100

_CURSOR = re.compile(r"([01])\.(-?\d{1,18})\.(\d{1,18})", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Filter:
    """The filters of a query; empty ones match everything. The state `shown` is all that is not hidden."""

    project: str = ""
    type: str = ""
    text: str = ""
    state: State = "shown"
    mine: bool = False


@dataclass(frozen=True)
class Page:
    """Learnings, pinned first, then the last seen; `next_cursor` is None at the end."""

    learnings: Sequence[Learning]
    next_cursor: str | None


@dataclass(frozen=True)
class Origin:
    """The message of a transcript that a learning comes from; unknown attributes are ""."""

    context_id: str
    transcript: str
    agent_kind: str
    agent: str
    session_id: str
    branch: str
    message_index: int
    message_uuid: str
    captured_at: datetime


def find(user: User | AnonymousUser, filters: Filter, *, limit: int = 50, cursor: str = "") -> Page:
    """Return the page after `cursor` of the learnings that `user` may see. Raises ValueError for invalid arguments."""
    if not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit: must be from 1 to {MAX_LIMIT}")
    rows = _filtered(visible(user), user, filters)
    if cursor:
        rows = rows.filter(_after(cursor))
    learnings = list(rows.order_by("-pinned", "-last_seen", "-pk")[: limit + 1])
    more = len(learnings) > limit
    return Page(learnings[:limit], _cursor_at(learnings[limit - 1]) if more else None)


def visible(user: User | AnonymousUser) -> QuerySet[Learning]:
    """Return the learnings that `user` may see; hidden ones only if they may change them."""
    rows = visible_rows(Learning.objects.select_related("user", "project"), user)
    return rows.filter(Q(hidden=False) | _changeable(user)) if isinstance(user, User) else rows


def may_change(user: User | AnonymousUser, learning: Learning) -> bool:
    """Return whether `user`, who sees `learning`, may correct, pin and hide it: they own it or its project."""
    return user.pk in (learning.user_id, learning.project.owner_id if learning.project else None)


def get(user: User | AnonymousUser, key: int) -> Learning:
    """Return the learning `key` with its changes. Raises Http404 if `user` cannot see it."""
    changes = LearningChange.objects.select_related("made_by")
    rows = visible(user).prefetch_related(Prefetch("changes", changes))
    learning = rows.filter(pk=key).first() if 0 < key < 2**63 else None
    if learning is None:
        raise Http404("learning not found")
    return learning


def origins(learning: Learning) -> list[Origin]:
    """Return the last MAX_SOURCES messages that `learning` comes from, the latest first."""
    sources = learning.sources.select_related("capture__state").order_by("-capture__captured_at", "-pk")
    return [_origin(source) for source in sources[:MAX_SOURCES]]


def _origin(source: LearningSource) -> Origin:
    capture, state = source.capture, source.capture.state
    attributes = {name: str(capture.metadata.get(name) or "") for name in ("agent", "session_id", "branch")}
    return Origin(
        context_id=state.context_id,
        transcript=state.transcript or str(capture.metadata.get("transcript") or ""),
        agent_kind=state.agent_kind,
        message_index=source.message_index,
        message_uuid=source.message_uuid,
        captured_at=capture.captured_at,
        **attributes,
    )


def _changeable(user: User) -> Q:
    return Q(user=user) | Q(project__owner=user)


def _filtered(rows: QuerySet[Learning], owner: User | AnonymousUser, filters: Filter) -> QuerySet[Learning]:
    if filters.type and filters.type not in LEARNING_TYPES:
        raise ValueError(f"type: must be one of {', '.join(LEARNING_TYPES)}")
    if filters.state not in STATES:
        raise ValueError(f"state: must be one of {', '.join(STATES)}")
    if len(filters.text) > MAX_TEXT:
        raise ValueError(f"text: at most {MAX_TEXT} characters")
    if filters.mine:
        rows = own_rows(rows, owner)
    if filters.project:
        rows = rows.filter(project__key=clean(filters.project))
    if filters.type:
        rows = rows.filter(type=filters.type)
    for word in clean(filters.text).split():
        rows = rows.filter(content__icontains=word)
    if filters.state == "corrected":
        corrected = LearningChange.objects.filter(learning=OuterRef("pk"), what=LearningChange.What.CORRECTED)
        rows = rows.filter(Exists(corrected))
    if filters.state == "pinned":
        rows = rows.filter(pinned=True)
    return rows if filters.state == "all" else rows.filter(hidden=filters.state == "hidden")


def _cursor_at(learning: Learning) -> str:
    return f"{learning.pinned:d}.{(learning.last_seen - _EPOCH) // _MICROSECOND}.{learning.pk}"


def _after(cursor: str) -> Q:
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise ValueError("cursor: invalid; use the one of the last response, or none for the first page")
    try:
        pinned, last_seen, pk = match[1] == "1", _EPOCH + timedelta(microseconds=int(match[2])), int(match[3])
    except OverflowError as error:
        raise ValueError("cursor: invalid") from error
    same = Q(pinned=pinned)
    following = same & (Q(last_seen__lt=last_seen) | Q(last_seen=last_seen, pk__lt=pk))
    return following | Q(pinned=False) if pinned else following
