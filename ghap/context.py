"""Sections of a session's context: common failures and working strategies of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from ghap.local import ConfidenceTier, OutcomeStatus
from ghap.models import Entry, Failure, FailureMember
from ghap.recurring import queries
from ghap.recurring.queries import SeenFailure
from ghap.strategies import Performance, performance
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.common import check_output
from memoryserver.common.text import one_line, shorten
from memoryserver.context.sections import Line, Section
from memoryserver.home.figures import kept
from memoryserver.home.scope import PageScope

_FAILURES = 6
_ENTRIES = 20
_GOAL = 80  # characters
_MANY = 2_000  # entries, which take some milliseconds to count
_MIN_DECIDED = 3
"""Decided entries that a strategy needs to be listed."""


def failures(user: User, project: str) -> Sequence[Line]:
    """Return recurring failures, the most frequent first, then the newest falsified entries that are in none of them.

    Solved failures with their entries, and entries with a poor hypothesis, are left out.
    """
    recurring = _recurring(user, project)
    rows = _falsified(user, project).exclude(confidence_tier=ConfidenceTier.BRONZE.value)
    alone = rows.exclude(failures__failure__in=[failure.key for failure in recurring])
    listed = [failure for failure in recurring if failure.state != Failure.State.SOLVED]
    return _failure_lines(listed) + [_entry_line(row) for row in alone[:_ENTRIES]]


def left_out(user: User, project: str) -> Sequence[Line]:
    """Return what `failures` leaves out: solved failures, entries that a failure speaks for, and poor hypotheses."""
    recurring = _recurring(user, project)
    solved = [failure for failure in recurring if failure.state == Failure.State.SOLVED]
    rows = _falsified(user, project)
    members = FailureMember.objects.filter(failure__in=[failure.key for failure in recurring]).order_by()
    covered = rows.filter(pk__in=members.values("entry"))
    poor = rows.filter(confidence_tier=ConfidenceTier.BRONZE.value).exclude(pk__in=members.values("entry"))
    poor = Entry.objects.filter(pk__in=list(poor.values_list("pk", flat=True)[:_ENTRIES]))  # its index has the keys
    return [
        *(replace(line, why="solved") for line in _failure_lines(solved)),
        *(replace(_entry_line(row), why="its recurring failure speaks for it") for row in covered[:_ENTRIES]),
        *(replace(_entry_line(row), why="its hypothesis is poor") for row in poor[:_ENTRIES]),
    ]


def working(user: User, project: str) -> Sequence[Line]:
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
    return lines


def _are_many(counted: Sequence[Performance]) -> bool:
    return sum(strategy.overall.entries for strategy in counted) > _MANY


def _recurring(user: User, project: str) -> Sequence[SeenFailure]:
    return queries.find(user, project=project, sort="frequent", limit=_FAILURES).failures


def _falsified(user: User, project: str) -> QuerySet[Entry]:
    rows = visible_rows(Entry.objects.filter(outcome_status=OutcomeStatus.FALSIFIED.value), user)
    return rows.filter(project__key=project).order_by("-captured_at", "-pk")


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
            page=reverse("ghap-failure", args=[failure.key]),
        )
        for failure in found
    ]


def _entry_line(row: Entry) -> Line:
    lesson = row.lesson
    return Line(
        _failure_sentence(
            row.goal,
            "",
            _why(row),
            "; ".join(dict.fromkeys(filter(None, (lesson.what_worked, lesson.takeaway)))) if lesson else "",
        ),
        0.75 if lesson else 0.45,
        why=f"falsified {row.created_at:%Y-%m-%d}{', with a lesson' if lesson else ''}",
        page=reverse("ghap-entry", args=[row.pk]),
    )


def _why(row: Entry) -> str:
    """Return what was unexpected and its cause; of an entry that its check decided without either, what it printed."""
    if row.surprise and row.cause:
        return f"{_with_full_stop(row.surprise)} Cause: {row.cause}"
    if row.surprise or row.cause:
        return row.surprise or row.cause
    ended, _, printed = row.result.partition("\n")
    is_output = ended.startswith("Its check ended with exit status ")  # as results began until now
    return check_output.reason(printed) if is_output else ended


def _failure_sentence(goal: str, times: str, why: str, lesson: str | None) -> str:
    """Return one line: what was tried, how often it failed, why, and what helped."""
    head = shorten(one_line(goal), _GOAL) + (f" ({times})" if times else "")
    told = f"{head}: {_with_full_stop(why)}" if why.strip() else f"{head}."
    return f"{told} What helped: {one_line(lesson)}" if lesson else told


def _with_full_stop(sentence: str) -> str:
    line = one_line(sentence)
    return line if line.endswith((".", "!", "?")) else f"{line}."


FAILURES = Section(name="failures", title="What failed here", lines=failures, left_out=left_out)
WORKING = Section(name="strategies", title="Strategies that work here", lines=working)
