"""Sections of a session's context: common failures and working strategies of a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import starmap
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from ghap.bodies import cause_of, lesson_of, result_of, surprise_of
from ghap.local import ConfidenceTier, OutcomeStatus
from ghap.models import Entry, Failure, FailureMember
from ghap.recurring import queries
from ghap.recurring.queries import SeenFailure
from ghap.strategies import Performance, performance
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import viewer, visible_rows
from memoryserver.common import check_output
from memoryserver.common.text import one_line, shorten
from memoryserver.context.sections import Line, Offer, Section
from memoryserver.home.addresses import address_of
from memoryserver.home.figures import kept
from memoryserver.home.scope import PageScope
from memoryserver.statements.compiled import IDS, TEXT, USER, CompiledRows

_ENTRIES = 20
_GOAL = 80  # characters
_MANY = 2_000  # entries, which take some milliseconds to count
_MIN_DECIDED = 3
"""Decided entries that a strategy needs to be listed."""


def failures(user: User, project: str) -> Offer:
    """Return recurring failures, the most frequent first, then the newest falsified entries that are in none of them.

    Left out are solved failures, entries that a failure speaks for, and entries with a poor hypothesis.
    """
    recurring = queries.most_frequent(user, project)
    keys = [failure.key for failure in recurring]
    lines = dict(zip(keys, _failure_lines(recurring), strict=True))
    solved = [failure.key for failure in recurring if failure.state == Failure.State.SOLVED]
    alone = _ALONE.rows(ids=keys, user=viewer(user), text=project)
    return Offer(
        [*(line for key, line in lines.items() if key not in solved), *starmap(_entry_line, alone)],
        lambda: [*(replace(lines[key], why="solved") for key in solved), *_without_failures(user, project, keys)],
    )


def _without_failures(user: User, project: str, keys: Sequence[int]) -> Sequence[Line]:
    """Return the lines of falsified entries that the failures `keys` speak for, and of the others that are poor."""
    covered = _COVERED.rows(ids=keys, user=viewer(user), text=project)
    poor_keys = [key for (key,) in _POOR.rows(ids=keys, user=viewer(user), text=project)]
    poor = _BY_KEY.rows(ids=poor_keys)
    return [
        *(replace(_entry_line(*entry), why="its recurring failure speaks for it") for entry in covered),
        *(replace(_entry_line(*entry), why="its hypothesis is poor") for entry in poor),
    ]


def working(user: User, project: str) -> Offer:
    """Return the strategies with at least _MIN_DECIDED decided entries, of which at least half were confirmed.

    All entries of the project count but those with a poor hypothesis, whose prediction could hardly fail. Where they
    are many, the counts are kept for a minute.
    """
    lines = []
    scope = PageScope(user, project, days=0, now=timezone.now())
    for strategy in kept("working", scope, lambda: performance(user, project=project), worth=_are_many):
        tally = strategy.overall
        confirmed, decided = tally.confirmed_sound, tally.sound
        if decided >= _MIN_DECIDED and 2 * confirmed >= decided:
            often = f"{strategy.strategy}: confirmed {confirmed} of {decided}"
            after = f", after {tally.mean_iterations:.1f} iterations on average" if tally.mean_iterations else ""
            weight = 0.5 + 0.3 * confirmed / decided * min(1.0, decided / 10)
            lines.append(Line(often + after, weight, why=f"confirmed in at least half of {decided} entries"))
    return Offer(lines)


def _are_many(counted: Sequence[Performance]) -> bool:
    return sum(strategy.overall.entries for strategy in counted) > _MANY


def _falsified() -> QuerySet[Entry]:
    """Return the falsified entries of the project TEXT that USER may see, the latest first."""
    rows = visible_rows(Entry.objects.filter(outcome_status=OutcomeStatus.FALSIFIED.value), User(pk=USER))
    return rows.filter(project__key=TEXT).order_by(*_LATEST_FIRST)


def _members() -> QuerySet[Any, Any]:
    return FailureMember.objects.filter(failure__in=[IDS]).order_by().values("entry")


_LATEST_FIRST = ("-captured_at", "-pk")
_IS_POOR = Q(confidence_tier=ConfidenceTier.BRONZE.value)
_SHOWN = ("pk", "goal", "body", "created_at")  # of an entry
# How many of the project's entries there are decides how they are found best, so these are planned at each use.
_ALONE = CompiledRows(
    lambda: _falsified().exclude(_IS_POOR).exclude(pk__in=_members()).values_list(*_SHOWN)[:_ENTRIES],
    is_planned_once=False,
)
_COVERED = CompiledRows(
    lambda: _falsified().filter(pk__in=_members()).values_list(*_SHOWN)[:_ENTRIES], is_planned_once=False
)
_POOR = CompiledRows(  # an index has the keys
    lambda: _falsified().filter(_IS_POOR).exclude(pk__in=_members()).values_list("pk")[:_ENTRIES],
    is_planned_once=False,
)
_BY_KEY = CompiledRows(lambda: Entry.objects.filter(pk__in=[IDS]).order_by(*_LATEST_FIRST).values_list(*_SHOWN))


def _failure_lines(found: Sequence[SeenFailure]) -> list[Line]:
    lessons = queries.lessons([failure.key for failure in found])
    return [
        Line(
            _failure_sentence(
                failure.title,
                f"failed {failure.size} times",
                failure.cause or failure.surprise,
                lessons.get(failure.key),
            ),
            min(0.95, 0.7 + 0.03 * failure.size),
            why=f"failed {failure.size} times, last on {failure.last_seen:%Y-%m-%d}",
            page=address_of("ghap-failure", failure.key),
        )
        for failure in found
    ]


def _entry_line(key: int, goal: str, body: Mapping[str, Any], created_at: datetime) -> Line:
    """Return the line of the entry with the values of _SHOWN."""
    lesson = lesson_of(body)
    return Line(
        _failure_sentence(
            goal,
            "",
            _why(body),
            "; ".join(dict.fromkeys(filter(None, (lesson.what_worked, lesson.takeaway)))) if lesson else "",
        ),
        0.75 if lesson else 0.45,
        why=f"falsified {created_at:%Y-%m-%d}{', with a lesson' if lesson else ''}",
        page=address_of("ghap-entry", key),
    )


def _why(body: Mapping[str, Any]) -> str:
    """Return what was unexpected and its cause; of an entry that its check decided without either, what it printed."""
    surprise, cause = surprise_of(body), cause_of(body)
    if surprise and cause:
        return f"{_with_full_stop(surprise)} Cause: {cause}"
    if surprise or cause:
        return surprise or cause
    ended, _, printed = result_of(body).partition("\n")
    is_output = ended.startswith("Its check ended with exit status ")  # as results began until now
    return check_output.reason(printed) if is_output else ended


def _failure_sentence(goal: str, times: str, why: str, lesson: str | None) -> str:
    """Return one line: what was tried, how often it failed, why, and what helped."""
    head = shorten(one_line(goal), _GOAL) + (f" ({times})" if times else "")
    sentence = f"{head}: {_with_full_stop(why)}" if why.strip() else f"{head}."
    return f"{sentence} What helped: {one_line(lesson)}" if lesson else sentence


def _with_full_stop(sentence: str) -> str:
    line = one_line(sentence)
    return line if line.endswith((".", "!", "?")) else f"{line}."


FAILURES = Section(name="failures", title="What failed here", offer=failures)
WORKING = Section(name="strategies", title="Strategies that work here", offer=working)
