"""Sections of a session's context: common failures and working strategies of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import QuerySet
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
from memoryserver.context.sections import Line, Offer, Section
from memoryserver.home.addresses import address_of
from memoryserver.home.figures import kept
from memoryserver.home.scope import PageScope

_FAILURES = 6
_ENTRIES = 20
_GOAL = 80  # characters
_SHOWN = ("goal", "body", "created_at")  # of an entry
_MANY = 2_000  # entries, which take some milliseconds to count
_MIN_DECIDED = 3
"""Decided entries that a strategy needs to be listed."""


def failures(user: User, project: str) -> Offer:
    """Return recurring failures, the most frequent first, then the newest falsified entries that are in none of them.

    Left out are solved failures, entries that a failure speaks for, and entries with a poor hypothesis.
    """
    recurring = queries.find(user, project=project, sort="frequent", limit=_FAILURES).failures
    keys = [failure.key for failure in recurring]
    lines = dict(zip(keys, _failure_lines(recurring), strict=True))
    solved = [failure.key for failure in recurring if failure.state == Failure.State.SOLVED]
    rows = _falsified(user, project)
    alone = rows.exclude(confidence_tier=ConfidenceTier.BRONZE.value).exclude(failures__failure__in=keys)
    return Offer(
        [*(line for key, line in lines.items() if key not in solved), *map(_entry_line, alone[:_ENTRIES])],
        lambda: [*(replace(lines[key], why="solved") for key in solved), *_without_failures(rows, keys)],
    )


def _without_failures(rows: QuerySet[Entry], keys: Sequence[int]) -> Sequence[Line]:
    """Return the lines of those of `rows` that the failures `keys` speak for, and of the others that are poor."""
    members = FailureMember.objects.filter(failure__in=keys).order_by().values("entry")
    covered = rows.filter(pk__in=members)
    poor = rows.filter(confidence_tier=ConfidenceTier.BRONZE.value).exclude(pk__in=members)
    poor_keys = list(poor.values_list("pk", flat=True)[:_ENTRIES])  # its index has them
    poor = Entry.objects.only(*_SHOWN).filter(pk__in=poor_keys)
    return [
        *(replace(_entry_line(row), why="its recurring failure speaks for it") for row in covered[:_ENTRIES]),
        *(replace(_entry_line(row), why="its hypothesis is poor") for row in poor),
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


def _falsified(user: User, project: str) -> QuerySet[Entry]:
    rows = visible_rows(Entry.objects.filter(outcome_status=OutcomeStatus.FALSIFIED.value), user).only(*_SHOWN)
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
            page=address_of("ghap-failure", failure.key),
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
        page=address_of("ghap-entry", row.pk),
    )


def _why(row: Entry) -> str:
    """Return what was unexpected and its cause; of an entry that its check decided without either, what it printed."""
    surprise, cause = row.surprise, row.cause
    if surprise and cause:
        return f"{_with_full_stop(surprise)} Cause: {cause}"
    if surprise or cause:
        return surprise or cause
    ended, _, printed = row.result.partition("\n")
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
