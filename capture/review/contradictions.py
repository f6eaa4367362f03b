"""Contradictions between learnings: which ones a user may see, and the decisions on them.

A decision hides the learning that does not stay, as its owner could; nothing is deleted, and its page shows it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone

from capture import curation, learnings
from capture.models import Contradiction, Learning
from capture.sink import SOURCE
from memoryserver import keyset
from memoryserver.accounts import context_version
from memoryserver.accounts.models import User
from memoryserver.common.text import clean
from memoryserver.errors import InvalidInputError
from obslog.emit import emit

Keep = Literal["earlier", "later", "both"]
KEEPS: tuple[Keep, ...] = get_args(Keep)
State = Literal["open", "decided"]
STATES: tuple[State, ...] = get_args(State)
MAX_LIMIT = 100

_ORDER = ("-found_at", "-pk")


class AlreadyDecidedError(Exception):
    """Somebody has decided between the two learnings; the text says how to change that."""


@dataclass(frozen=True)
class Page:
    """Contradictions, the latest first; `next_cursor` is None at the end."""

    contradictions: Sequence[Contradiction]
    next_cursor: str | None


def find(
    user: User | AnonymousUser, *, project: str = "", state: State = "open", limit: int = 30, cursor: str = ""
) -> Page:
    """Return the page after `cursor` of the contradictions both sides of which `user` may see.

    `project` is a project's key, "" for all. Raises InvalidInputError for invalid arguments.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInputError(f"limit: must be from 1 to {MAX_LIMIT}")
    if state not in STATES:
        raise InvalidInputError(f"state: must be one of {', '.join(STATES)}")
    rows = _visible(user).exclude(decision="") if state == "decided" else _open(user)
    if project:
        rows = rows.filter(later__project__key=clean(project))
    page = keyset.page_of(rows, _ORDER, limit=limit, cursor=cursor)
    return Page(page.rows, page.next_cursor)


def of_learning(user: User | AnonymousUser, learning: Learning) -> Sequence[Contradiction]:
    """Return the open contradictions of `learning` with others that `user` may see, the latest first.

    Most learnings have none, which is asked first: the statement for the rest joins seven tables.
    """
    keys = list(
        Contradiction.objects.filter(Q(earlier=learning) | Q(later=learning), decision="").values_list("pk", flat=True)
    )
    return list(_open(user).filter(pk__in=keys).order_by(*_ORDER)) if keys else []


def may_decide(user: User | AnonymousUser, row: Contradiction, keep: Keep) -> bool:
    """Return whether `user` may decide so: they may change the learning that it hides, for both one of the two."""
    sides = {"earlier": [row.later], "later": [row.earlier], "both": [row.earlier, row.later]}[keep]
    return any(learnings.may_change(user, learning) for learning in sides)


def decide(user: User, key: int, keep: Keep) -> Contradiction:
    """Record which learning of the contradiction `key` stays, and hide the other one; `both` stay if they can.

    Repeating the same decision does nothing. Raises Http404 if `user` cannot see it, PermissionDenied if they may not
    change the learning that would be hidden, AlreadyDecidedError if it was decided otherwise.
    """
    with transaction.atomic():
        row = _visible(user).select_for_update(of=("self",)).filter(pk=key).first()
        if row is None:
            raise Http404("contradiction not found")
        if row.decision == keep:
            return row
        if row.decision:
            raise AlreadyDecidedError("this was decided already; show the hidden learning again to undo it")
        if not may_decide(user, row, keep):
            raise PermissionDenied("only the owner of a learning, or of its project, may hide it")
        row.decision, row.decided_by, row.decided_at = keep, user, timezone.now()
        row.save(update_fields=["decision", "decided_by", "decided_at"])
        if keep == "both":
            context_version.advance(row.earlier.user, row.earlier.project)
        else:
            curation.change(user, row.later_id if keep == "earlier" else row.earlier_id, hidden=True)
        _log(row, user)
    return row


def _visible(user: User | AnonymousUser) -> QuerySet[Contradiction]:
    return _between(learnings.visible(user))


def _open(user: User | AnonymousUser) -> QuerySet[Contradiction]:
    """Return the contradictions that nobody has decided and both of whose learnings are shown to `user`."""
    return _between(learnings.shown(user)).filter(decision="")


def _between(learned: QuerySet[Learning]) -> QuerySet[Contradiction]:
    keys = learned.values("pk")
    rows = Contradiction.objects.filter(earlier__in=keys, later__in=keys)
    return rows.select_related("earlier__user", "earlier__project", "later__user", "later__project", "decided_by")


def _log(row: Contradiction, by: User) -> None:
    emit(
        row.later.user,
        type="capture.contradiction_decided",
        source=SOURCE,
        message=f"between learnings {row.earlier_id} and {row.later_id}, {row.decision} stays, by user {by.pk}",
        data={"decision": row.decision, "reason": row.reason},
        scope_ids=[f"learning:{row.earlier_id}", f"learning:{row.later_id}"],
        project=row.later.project_id,
    )
