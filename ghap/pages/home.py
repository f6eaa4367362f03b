"""The journal's part of the home page: predictions, outcomes by week, what works, and what fails again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q
from django.urls import reverse

from ghap.local import ConfidenceTier, OutcomeStatus
from ghap.models import Entry
from ghap.pages.failures import UNSOLVED
from ghap.recurring import queries
from memoryserver.common.text import shorten
from memoryserver.home.charts import stacked_bars
from memoryserver.home.intervals import wilson
from memoryserver.home.parts import Card, Line, Part, Step, Tile
from memoryserver.home.scope import PageScope

CONFIRMED = OutcomeStatus.CONFIRMED.value
FALSIFIED = OutcomeStatus.FALSIFIED.value
ABANDONED = OutcomeStatus.ABANDONED.value
_STATUSES = (CONFIRMED, FALSIFIED, ABANDONED)
_DECIDED = Q(outcome_status__in=[CONFIRMED, FALSIFIED])
_FAILURES = 4
_CHART_WIDTH, _CHART_HEIGHT = 520, 110


@dataclass(frozen=True)
class Cell:
    """A strategy in a domain: `confirmed` of `decided` entries, and the shade (0 to 4) by the share; few are pale."""

    confirmed: int
    decided: int
    shade: int
    interval: tuple[int, int]

    @property
    def percent(self) -> int:
        """The share of confirmed entries in percent."""
        return round(100 * self.confirmed / self.decided)


def tiles(scope: PageScope) -> Sequence[Tile]:
    """Return the share of predictions that came true."""
    confirmed, decided, *earlier = _counts(scope)
    weeks = _by_week(scope)
    note = f"{confirmed} of {decided} decided" if decided else "none decided in this period"
    if earlier[1]:
        note += f"; before {round(100 * earlier[0] / earlier[1])} % of {earlier[1]}"
    return [
        Tile(
            title="Predictions that came true",
            value=f"{round(100 * confirmed / decided)} %" if decided else "–",
            note=note,
            weeks=[
                100 * week[CONFIRMED] / (week[CONFIRMED] + week[FALSIFIED])
                if week[CONFIRMED] + week[FALSIFIED]
                else None
                for week in weeks
            ],
            page=reverse("ghap-entries"),
        )
    ]


def cards(scope: PageScope) -> Sequence[Card]:
    """Return what fails again."""
    return [_fails_again(scope)]


def figures(scope: PageScope) -> Sequence[Card]:
    """Return the outcomes by week, and the heat map of strategies."""
    return [_outcomes(scope), _what_works(scope)]


def steps(scope: PageScope) -> Sequence[Step]:
    """Return the step of the first entry."""
    done = scope.rows(Entry.objects.all()).exists()
    return [Step("An agent resolves its first journal entry.", "memory ghap start --help", done)]


def _counts(scope: PageScope) -> Sequence[int]:
    """Return the numbers of confirmed and of decided entries of the period, and of the one before."""
    entries = scope.rows(Entry.objects.filter(_DECIDED, captured_at__gte=scope.before))
    now, before = Q(captured_at__gte=scope.since), Q(captured_at__lt=scope.since)
    confirmed = Q(outcome_status=CONFIRMED)
    counted = entries.aggregate(
        confirmed=Count("pk", filter=now & confirmed),
        decided=Count("pk", filter=now),
        confirmed_before=Count("pk", filter=before & confirmed),
        decided_before=Count("pk", filter=before),
    )
    return list(counted.values())


def _by_week(scope: PageScope) -> Sequence[Mapping[str, int]]:
    """Return the number of entries by outcome for each week of the scope."""
    counts = {status: Count("pk", filter=Q(outcome_status=status)) for status in _STATUSES}
    return scope.by_week(scope.rows(Entry.objects.all()), "captured_at", **counts)


def _outcomes(scope: PageScope) -> Card:
    weeks = _by_week(scope)
    columns = [[(status, week[status]) for status in _STATUSES] for week in weeks]
    bars = stacked_bars(columns, width=_CHART_WIDTH, height=_CHART_HEIGHT)
    table = [(start, [count for _, count in column]) for start, column in zip(scope.week_starts, columns, strict=True)]
    largest = max(sum(count for _, count in column) for column in columns)
    context = {"bars": bars, "table": table, "statuses": _STATUSES, "largest": largest}
    now = ", ".join(f"{weeks[-1][status]} {status}" for status in _STATUSES)
    before = ", ".join(f"{weeks[-2][status]} {status}" for status in _STATUSES)
    lines = [Line(f"this week: {now}; the week before: {before}")]
    return Card("Outcomes by week", "left", "ghap/_home_outcomes.html", context, reverse("ghap-entries"), lines)


def _what_works(scope: PageScope) -> Card:
    """Return the heat map; poor hypotheses are left out, as they say little of the strategy."""
    rows = (
        scope.rows(Entry.objects.filter(_DECIDED).exclude(confidence_tier=ConfidenceTier.BRONZE.value))
        .values_list("strategy", "domain")
        .annotate(confirmed=Count("pk", filter=Q(outcome_status=CONFIRMED)), decided=Count("pk"))
        .order_by()
    )
    cells: dict[str, dict[str, Cell]] = defaultdict(dict)
    by_strategy: Counter[str] = Counter()
    by_domain: Counter[str] = Counter()
    for strategy, domain, confirmed, decided in rows:
        cells[strategy][domain] = _cell(confirmed, decided)
        by_strategy[strategy] += decided
        by_domain[domain] += decided
    domains = [domain for domain, _ in by_domain.most_common()]
    lines = [
        (strategy, [(domain, cells[strategy].get(domain)) for domain in domains])
        for strategy, _ in by_strategy.most_common()
    ]
    context = {"domains": domains, "lines": lines}
    return Card("What works here", "left", "ghap/_home_strategies.html", context, reverse("ghap-strategies"))


def _cell(confirmed: int, decided: int) -> Cell:
    low, high = wilson(confirmed, decided)
    shade = min(int(5 * confirmed / decided), 4)
    return Cell(confirmed, decided, shade, (round(100 * low), round(100 * high)))


def _fails_again(scope: PageScope) -> Card:
    found = queries.find(scope.user, states=UNSOLVED, sort="frequent", limit=_FAILURES, within=scope.condition)
    context = {"failures": found.failures}
    lines = [
        Line(f"{row.size} times: {shorten(row.title, 200)} ({row.state})", reverse("ghap-failure", args=[row.key]))
        for row in found.failures
    ]
    return Card("Fails again", "right", "ghap/_home_failures.html", context, reverse("ghap-failures"), lines)


PART = Part("ghap", 20, tiles=tiles, cards=cards, figures=figures, steps=steps)
