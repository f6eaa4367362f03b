"""The section of a project's learnings in a session's context."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from django.db.models import QuerySet
from django.utils import timezone

from capture.belief import explanation, rules
from capture.belief.contradicted import later
from capture.belief.rules import MOST_LEADING, Leading
from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import viewer, visible_rows
from memoryserver.context.sections import PINNED, Line, Offer, Section
from memoryserver.home.addresses import address_of
from memoryserver.home.figures import kept
from memoryserver.home.scope import PageScope
from memoryserver.statements.compiled import TEXT, USER, CompiledRows

_CONTRADICTED = " (contradicted by a later one, not yet decided)"
_BEHIND = 0.99  # of the weight of the later one
_MANY = 2_000
"""Learnings of a project beyond which it is kept for a minute which ones are the first: to judge all takes time."""


def offer(user: User, project: str) -> Offer:
    """Return the most useful learnings of `project` that are believed: pinned first, then by weight.

    Left out are those that are not believed, the weightiest first; no hidden and no merged ones. In a project of more
    than _MANY a new one may come a minute late; what is pinned, hidden or doubted by now counts.
    """
    pinned = [key for (key,) in _PINNED.rows(user=viewer(user), text=project)]
    leading = _leading(user, project)
    believed = _judged({*pinned, *leading.believed})
    return Offer(
        _behind_later([_line(row) for row in believed if rules.judgement(row).in_context]),
        lambda: [_line(row) for row in _judged(leading.unbelieved) if not rules.judgement(row).in_context],
    )


def _shown(user: User, project: str) -> QuerySet[Learning]:
    return visible_rows(Learning.objects.filter(project__key=project, hidden=False, merged_into=None), user)


_PINNED = CompiledRows(
    lambda: (
        _shown(User(pk=USER), TEXT).filter(pinned=True).order_by("-last_seen", "-pk").values_list("pk")[:MOST_LEADING]
    ),
    is_planned_once=False,  # how many learnings the project has decides how they are found best
)


def _leading(user: User, project: str) -> Leading:
    """Return the leading ones of `_shown`, of many as of at most a minute ago."""
    rows = _shown(user, project)
    return kept(
        "leading learnings",
        PageScope(user, project, days=0, now=timezone.now()),
        lambda: rules.leading(rows),
        worth=lambda _: rows.order_by()[: _MANY + 1].count() > _MANY,
    )


def _judged(keys: Collection[int]) -> Sequence[Learning]:
    """Return the learnings `keys`, judged, in the order of contexts; without those that are hidden or gone by now.

    To look for the keys alone, and then read these rows, takes a third of the time of reading what is looked through.
    """
    rows = rules.judged_by_key(keys)
    rows.sort(key=lambda row: (row.pinned, rules.judgement(row).weight, row.pk), reverse=True)
    return rows[:MOST_LEADING]


def _line(row: Learning) -> Line:
    judgement = rules.judgement(row)
    return Line(
        f"[{row.type}] {row.content}{_CONTRADICTED if judgement.contradicted else ''}",
        judgement.weight + (PINNED if row.pinned else 0.0),
        key=str(row.pk),
        why=explanation.explain(row, judgement),
        page=address_of("learning", row.pk),
        document=f"learnings/{row.pk}",
        number=str(row.pk),
    )


def _behind_later(lines: Sequence[Line]) -> Sequence[Line]:
    """Return `lines` with a contradicted one behind the later one, unless a person has pinned it."""
    weights = {line.key: line.weight for line in lines}
    for earlier, others in later(list(weights)).items():
        most = min((weights[key] for key in others & weights.keys()), default=PINNED)
        if weights[earlier] < PINNED:
            weights[earlier] = min(weights[earlier], most * _BEHIND)
    return [replace(line, weight=weights[line.key]) for line in lines]


SECTION = Section(name="learned", title="Learned here", offer=offer)
