"""The review of learnings: which ones wait for a person, one after the other, and what the last decision was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet

from capture import curation, learnings
from capture.belief.rules import judge, settled
from capture.merging.neighbours import Neighbour, near
from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import changeable_rows
from memoryserver.errors import InvalidInputError

ALIKE = 0.72  # the cosine from which on another learning is offered for a merge
MOST_ALIKE = 3
MOST_COUNTED = 1_000
DECISIONS = ("keep", "pin", "hide", "merge", "correct")
_NEWEST_FIRST = ("-first_seen", "-pk")


@dataclass(frozen=True)
class Decision:
    """What was decided on a learning, as it is kept for undoing: `before` is the former wording of a corrected one."""

    key: int
    what: str
    before: str = ""


@dataclass(frozen=True)
class Waiting:
    """The learning to review, None at the end; how many wait (at most MOST_COUNTED are counted), and the next one."""

    learning: Learning | None
    count: int
    next_key: int | None

    @property
    def is_capped(self) -> bool:
        """Whether more may wait than were counted."""
        return self.count == MOST_COUNTED


def waiting(user: User, within: Q, key: int | None = None) -> Waiting:
    """Return the newest learning that waits, or `key` if it does.

    Those wait that `user` may change, that are shown, and that no person has kept, stored or changed. Status reports
    and what comes from a session that still runs do not: the first enter no context, the second may be withdrawn.
    """
    rows = _waiting(user).filter(within)
    chosen = rows.filter(pk=key).first() if key is not None else None
    if chosen is None:
        shown = list(rows[:2])
    else:
        older = Q(first_seen__lt=chosen.first_seen) | Q(first_seen=chosen.first_seen, pk__lt=chosen.pk)
        shown = [chosen, *rows.filter(older)[:1]]
    row = next(iter(judge(shown[:1])), None)
    if row is None:
        return Waiting(None, 0, None)
    return Waiting(row, rows[:MOST_COUNTED].count(), shown[1].pk if len(shown) > 1 else None)


def alike(learning: Learning) -> Sequence[Neighbour]:
    """Return the learnings of its project that say nearly the same, the nearest first."""
    return near(learning, ALIKE)[:MOST_ALIKE]


def decide(user: User, key: int, what: str, *, into: int | None = None, content: str = "") -> Decision:
    """Keep, pin, hide, merge (`into` another one) or correct (to `content`) a learning, and return how to undo it.

    Raises Http404, PermissionDenied, InvalidInputError and DuplicateLearningError as `curation` does.
    """
    before = learnings.get(user, key).content
    if what == "keep":
        _record_review(user, key, user)
    elif what == "merge":
        if into is None:
            raise InvalidInputError("merge: choose the learning that stays")
        curation.merge_into(user, key, into)
    elif what == "correct":
        curation.change(user, key, content=content)
        _record_review(user, key, user)
    elif what == "pin":
        curation.change(user, key, pinned=True)
    elif what == "hide":
        curation.change(user, key, hidden=True)
    else:
        raise InvalidInputError(f"do: must be one of {', '.join(DECISIONS)}")
    return Decision(key, what, before if what == "correct" else "")


def undo(user: User, decision: Decision) -> None:
    """Take a decision back; the learning waits again. Raises as `decide` does."""
    if decision.what == "merge":
        curation.separate(user, decision.key)
    elif decision.what == "correct":
        curation.change(user, decision.key, content=decision.before)
    elif decision.what == "pin":
        curation.change(user, decision.key, pinned=False)
    elif decision.what == "hide":
        curation.change(user, decision.key, hidden=False)
    _record_review(user, decision.key, None)


def _record_review(user: User, key: int, by: User | None) -> None:
    learning = learnings.get(user, key)
    if not learnings.may_change(user, learning):
        raise PermissionDenied("only its author, or a lead of the team, may review a learning")
    curation.note_review(learning, by)


def _waiting(user: User) -> QuerySet[Learning]:
    rows = changeable_rows(Learning.objects.select_related("user", "project"), user)
    rows = rows.filter(reviewed_at=None, by_hand_at=None, hidden=False, merged_into=None, pinned=False, is_report=False)
    return settled(rows).order_by(*_NEWEST_FIRST)
