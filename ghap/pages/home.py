"""The journal's part of the home page: predictions, outcomes by week, what works, and what fails again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from ghap import grouping
from ghap.entries import SOUND
from ghap.local import OutcomeStatus
from ghap.models import COUNTED, Entry
from ghap.pages.failures import UNSOLVED
from ghap.recurring import queries
from memoryserver.common.text import shorten
from memoryserver.home.addresses import address_of
from memoryserver.home.charts import stacked_bars
from memoryserver.home.intervals import wilson
from memoryserver.home.parts import Card, Line, Part, Step, Tile
from memoryserver.home.scope import PageScope

CONFIRMED = OutcomeStatus.CONFIRMED.value
FALSIFIED = OutcomeStatus.FALSIFIED.value
ABANDONED = OutcomeStatus.ABANDONED.value
_STATUSES = (CONFIRMED, FALSIFIED, ABANDONED)
_CONFIRMED = Q(outcome_status=CONFIRMED)
_FAILURES = 4
_CHART_WIDTH, _CHART_HEIGHT = 520, 110


@dataclass(frozen=True)
class Cell:
    """A strategy in a domain: `confirmed` of `decided` entries, and the shade (0 to 4) by the share; few are pale.

    `page` is the list of these entries.
    """

    confirmed: int
    decided: int
    shade: int
    interval: tuple[int, int]
    page: str

    @property
    def percent(self) -> int:
        """The share of confirmed entries in percent."""
        return round(100 * self.confirmed / self.decided)


def tiles(scope: PageScope) -> Sequence[Tile]:
    """Return the share of predictions that came true; poor hypotheses are not counted."""
    confirmed, decided, *earlier = _counts(scope)
    rows = scope.rows(Entry.objects.filter(COUNTED))
    weeks = scope.by_week(rows, "captured_at", confirmed=Count("pk", filter=_CONFIRMED), decided=Count("pk"))
    note = f"{confirmed} of {decided} decided" if decided else "none decided in this period"
    if earlier[1]:
        note += f"; before {round(100 * earlier[0] / earlier[1])} % of {earlier[1]}"
    return [
        Tile(
            title="Predictions that came true",
            value=f"{round(100 * confirmed / decided)} %" if decided else "–",
            note=note,
            weeks=[100 * week["confirmed"] / week["decided"] if week["decided"] else None for week in weeks],
            page=scope.link("ghap-entries", tier=SOUND),
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
    now, before = scope.period("captured_at"), scope.period_before("captured_at")
    counted = scope.rows(Entry.objects.filter(COUNTED, scope.compared("captured_at"))).aggregate(
        confirmed=Count("pk", filter=now & _CONFIRMED),
        decided=Count("pk", filter=now),
        confirmed_before=Count("pk", filter=before & _CONFIRMED),
        decided_before=Count("pk", filter=before),
    )
    return list(counted.values())


def _outcomes(scope: PageScope) -> Card:
    """Return the chart of all outcomes in each day or week of the period, the first and the last one as a whole."""
    units = scope.units
    counts = {status: Count("pk", filter=Q(outcome_status=status)) for status in _STATUSES}
    counted = units.count(scope.rows(Entry.objects.all()), "captured_at", **counts)
    columns = [[(status, each[status]) for status in _STATUSES] for each in counted]
    context = {
        "unit": units.unit,
        "bars": stacked_bars(columns, width=_CHART_WIDTH, height=_CHART_HEIGHT),
        "table": [(start, [count for _, count in column]) for start, column in zip(units.starts, columns, strict=True)],
        "is_over": units.end <= scope.end,
        "statuses": _STATUSES,
        "largest": max(sum(count for _, count in column) for column in columns),
    }
    total = ", ".join(f"{sum(each[status] for each in counted)} {status}" for status in _STATUSES)
    title, page = f"Outcomes by {units.unit}", scope.link("ghap-entries", outcome="all")
    return Card(title, "left", "ghap/_home_outcomes.html", context, page, [Line(total)])


def _what_works(scope: PageScope) -> Card:
    """Return the heat map of the period; poor hypotheses are left out, as they say little of the strategy."""
    rows = (
        scope.rows(Entry.objects.filter(COUNTED, scope.period("captured_at")))
        .values_list("strategy", "domain")
        .annotate(confirmed=Count("pk", filter=_CONFIRMED), decided=Count("pk"))
        .order_by()
    )
    cells: dict[str, dict[str, Cell]] = defaultdict(dict)
    by_strategy: Counter[str] = Counter()
    by_domain: Counter[str] = Counter()
    for strategy, domain, confirmed, decided in rows:
        page = scope.link("ghap-entries", tier=SOUND, strategy=strategy, domain=domain)
        cells[strategy][domain] = _cell(confirmed, decided, page)
        by_strategy[strategy] += decided
        by_domain[domain] += decided
    domains = [domain for domain, _ in by_domain.most_common()]
    lines = [
        (strategy, [(domain, cells[strategy].get(domain)) for domain in domains])
        for strategy, _ in by_strategy.most_common()
    ]
    context = {"domains": domains, "lines": lines}
    return Card("What works here", "left", "ghap/_home_strategies.html", context, scope.link("ghap-strategies"))


def _cell(confirmed: int, decided: int, page: str) -> Cell:
    low, high = wilson(confirmed, decided)
    shade = min(int(5 * confirmed / decided), 4)
    return Cell(confirmed, decided, shade, (round(100 * low), round(100 * high)), page)


def _fails_again(scope: PageScope) -> Card:
    within = scope.within("last_seen")
    failures = queries.find(scope.user, states=UNSOLVED, sort="frequent", limit=_FAILURES, within=within).failures
    context = {"failures": failures, "counted": grouping.is_installed()}
    page = scope.link("ghap-failures", sort="frequent")
    lines = [
        Line(f"{row.size} times: {shorten(row.title, 200)} ({row.state})", address_of("ghap-failure", row.key))
        for row in failures
    ]
    return Card("Failures", "right", "ghap/_home_failures.html", context, page, lines)


PART = Part("ghap", 20, tiles=tiles, cards=cards, figures=figures, steps=steps)
