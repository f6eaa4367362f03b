"""Finding learnings: what one may see of them, and change."""

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
    """What is sought; what is left out narrows nothing. `shown` is all that is not hidden, pinned or not."""

    project: str = ""
    type: str = ""
    text: str = ""
    state: State = "shown"
    mine: bool = False


@dataclass(frozen=True)
class Page:
    """Learnings, the pinned first, then those met last; `next_cursor` is None at the end."""

    learnings: Sequence[Learning]
    next_cursor: str | None


@dataclass(frozen=True)
class Origin:
    """A message of a transcript; what the laptop did not tell of it is ""."""

    context_id: str
    transcript: str
    agent_kind: str
    agent: str
    session_id: str
    branch: str
    message_index: int
    message_uuid: str
    captured_at: datetime


def find(user: User | AnonymousUser, sought: Filter, *, limit: int = 50, cursor: str = "") -> Page:
    """The page after `cursor` of what `user` may see. ValueError says what of the question cannot be."""
    if not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit: must be from 1 to {MAX_LIMIT}")
    rows = _narrowed(visible(user), user, sought)
    if cursor:
        rows = rows.filter(_beyond(cursor))
    found = list(rows.order_by("-pinned", "-last_seen", "-pk")[: limit + 1])
    more = len(found) > limit
    return Page(found[:limit], _cursor_at(found[limit - 1]) if more else None)


def visible(user: User | AnonymousUser) -> QuerySet[Learning]:
    """Those that `user` may see: hidden ones only if they may change them, so that hiding hides from all others."""
    rows = visible_rows(Learning.objects.select_related("user", "project"), user)
    return rows.filter(Q(hidden=False) | _changeable(user)) if isinstance(user, User) else rows


def may_change(user: User | AnonymousUser, learning: Learning) -> bool:
    """Whether `user`, who sees it, may correct, pin and hide `learning`: their own, or one in a project of theirs."""
    return user.pk in (learning.user_id, learning.project.owner_id if learning.project else None)


def get(user: User | AnonymousUser, key: int) -> Learning:
    """The learning `key` with what was changed of it. Http404 where `user` sees none."""
    changes = LearningChange.objects.select_related("made_by")
    rows = visible(user).prefetch_related(Prefetch("changes", changes))
    found = rows.filter(pk=key).first() if 0 < key < 2**63 else None
    if found is None:
        raise Http404("there is no such learning, or it is not yours to see")
    return found


def origins(learning: Learning) -> list[Origin]:
    """The messages that `learning` was met in, the last one first; of very many those alone."""
    sources = learning.sources.select_related("capture__state").order_by("-capture__captured_at", "-pk")
    return [_origin(source) for source in sources[:MAX_SOURCES]]


def _origin(source: LearningSource) -> Origin:
    capture, state = source.capture, source.capture.state
    told = {name: str(capture.metadata.get(name) or "") for name in ("agent", "session_id", "branch")}
    return Origin(
        context_id=state.context_id,
        transcript=state.transcript or str(capture.metadata.get("transcript") or ""),
        agent_kind=state.agent_kind,
        message_index=source.message_index,
        message_uuid=source.message_uuid,
        captured_at=capture.captured_at,
        **told,
    )


def _changeable(user: User) -> Q:
    return Q(user=user) | Q(project__owner=user)


def _narrowed(rows: QuerySet[Learning], owner: User | AnonymousUser, sought: Filter) -> QuerySet[Learning]:
    if sought.type and sought.type not in LEARNING_TYPES:
        raise ValueError(f"type: must be one of {', '.join(LEARNING_TYPES)}")
    if sought.state not in STATES:
        raise ValueError(f"state: must be one of {', '.join(STATES)}")
    if len(sought.text) > MAX_TEXT:
        raise ValueError(f"text: at most {MAX_TEXT} characters")
    if sought.mine:
        rows = own_rows(rows, owner)
    if sought.project:
        rows = rows.filter(project__key=clean(sought.project))
    if sought.type:
        rows = rows.filter(type=sought.type)
    for word in clean(sought.text).split():
        rows = rows.filter(content__icontains=word)
    if sought.state == "corrected":
        corrected = LearningChange.objects.filter(learning=OuterRef("pk"), what=LearningChange.What.CORRECTED)
        rows = rows.filter(Exists(corrected))
    if sought.state == "pinned":
        rows = rows.filter(pinned=True)
    return rows if sought.state == "all" else rows.filter(hidden=sought.state == "hidden")


def _cursor_at(learning: Learning) -> str:
    return f"{learning.pinned:d}.{(learning.last_seen - _EPOCH) // _MICROSECOND}.{learning.pk}"


def _beyond(cursor: str) -> Q:
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise ValueError("cursor: is none of ours; give the one of the last answer, or none to begin")
    try:
        pinned, seen, pk = match[1] == "1", _EPOCH + timedelta(microseconds=int(match[2])), int(match[3])
    except OverflowError as error:
        raise ValueError("cursor: is none of ours") from error
    same = Q(pinned=pinned)
    later = same & (Q(last_seen__lt=seen) | Q(last_seen=seen, pk__lt=pk))
    return later | Q(pinned=False) if pinned else later
