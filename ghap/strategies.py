"""Performance of strategies: the share of confirmed predictions, and the number of iterations."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Q, QuerySet

from ghap.local import ConfidenceTier, Domain, OutcomeStatus
from ghap.models import DECIDED, Entry
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.home.intervals import wilson
from memoryserver.home.scope import EVERYTHING

FEW = 5  # decided entries, below which a share says little


@dataclass(frozen=True)
class Tally:
    """Counts of entries by outcome.

    Rate and iterations are of decided (confirmed or falsified) entries, None if there are none. `poor` is the number of
    decided entries with a poor hypothesis (bronze), and `confirmed_sound` that of confirmed ones without. The share and
    its interval leave the poor ones out, since their predictions could hardly fail.
    """

    entries: int
    confirmed: int
    falsified: int
    abandoned: int
    poor: int
    confirmed_rate: float | None
    mean_iterations: float | None
    median_iterations: float | None
    confirmed_sound: int = 0

    @property
    def sound(self) -> int:
        """The number of decided entries whose hypothesis is not poor."""
        return self.confirmed + self.falsified - self.poor

    @property
    def percent(self) -> int | None:
        """The share of confirmed ones of `sound` in percent, None if there are none."""
        return round(100 * self.confirmed_sound / self.sound) if self.sound else None

    @property
    def interval(self) -> tuple[int, int]:
        """The 95 % interval of that share in percent; (0, 100) if there are none."""
        low, high = wilson(self.confirmed_sound, self.sound)
        return round(100 * low), round(100 * high)

    @property
    def is_few(self) -> bool:
        """Whether there are too few for the share to say much."""
        return self.sound < FEW


@dataclass(frozen=True)
class Performance:
    """A strategy's tally overall, and by name of each domain in which it was used."""

    strategy: str
    overall: Tally
    domains: Mapping[str, Tally] = field(default_factory=dict)


@dataclass
class _Counts:
    """Entries by outcome, and the decided ones by their number of iterations; see Tally."""

    entries: int = 0
    confirmed: int = 0
    abandoned: int = 0
    poor: int = 0
    confirmed_sound: int = 0
    by_iterations: Counter[int] = field(default_factory=Counter)

    def add(self, outcome: str, tier: str, iterations: int, entries: int) -> None:
        """Count `entries` equal ones."""
        self.entries += entries
        if outcome == OutcomeStatus.ABANDONED.value:
            self.abandoned += entries
        if outcome not in DECIDED:
            return
        self.by_iterations[iterations] += entries
        poor = tier == ConfidenceTier.BRONZE.value
        self.poor += entries if poor else 0
        if outcome == OutcomeStatus.CONFIRMED.value:
            self.confirmed += entries
            self.confirmed_sound += 0 if poor else entries

    def tally(self) -> Tally:
        """Return the counts with the rate, and mean and median of the iterations."""
        decided = self.by_iterations.total()
        iterations = sum(number * entries for number, entries in self.by_iterations.items())
        return Tally(
            entries=self.entries,
            confirmed=self.confirmed,
            falsified=decided - self.confirmed,
            abandoned=self.abandoned,
            poor=self.poor,
            confirmed_rate=round(self.confirmed / decided, 4) if decided else None,
            mean_iterations=round(iterations / decided, 2) if decided else None,
            median_iterations=_median(self.by_iterations) if decided else None,
            confirmed_sound=self.confirmed_sound,
        )


def performance(
    user: User | AnonymousUser,
    *,
    project: str | None = None,
    domain: Domain | None = None,
    since: datetime | None = None,
    within: Q = EVERYTHING,
) -> list[Performance]:
    """Return the performance of each strategy in the entries `within` a scope that `user` may see, the most used first.

    `project` is a project's key; `since` is the earliest time of resolution. Unused strategies are left out; an unknown
    project has no entries. One query, which an index answers without the rows (`ghap_entry_figures`).
    """
    rows = visible_rows(Entry.objects.order_by(), user).filter(within)
    if project is not None:
        rows = rows.filter(project__key=project)
    if domain is not None:
        rows = rows.filter(domain=domain.value)
    if since is not None:
        rows = rows.filter(captured_at__gte=since)
    overall, domains = _counted(rows)
    by_domain = {name: _most_used_first(found) for name, found in domains.items()}
    return [Performance(name, tally, by_domain[name]) for name, tally in _most_used_first(overall).items()]


def _counted(rows: QuerySet[Entry]) -> tuple[Mapping[str, _Counts], Mapping[str, Mapping[str, _Counts]]]:
    """Return the counts of each strategy, and those of each of its domains."""
    overall: dict[str, _Counts] = defaultdict(_Counts)
    domains: dict[str, dict[str, _Counts]] = defaultdict(lambda: defaultdict(_Counts))
    columns = ("strategy", "domain", "outcome_status", "confidence_tier", "iteration_count")
    for strategy, domain, *counted in rows.values_list(*columns).annotate(entries=Count("*")):
        overall[strategy].add(*counted)
        domains[strategy][domain].add(*counted)
    return overall, domains


def _most_used_first(counted: Mapping[str, _Counts]) -> dict[str, Tally]:
    ordered = sorted(counted.items(), key=lambda item: (-item[1].entries, item[0]))
    return {name: counts.tally() for name, counts in ordered}


def _median(counted: Counter[int]) -> float:
    """Return the median of values that are there as often as counted; of an even number the mean of the middle two."""
    values = sorted(counted)
    reached = list(accumulate(counted[value] for value in values))
    whole = reached[-1]
    middle = values[bisect_right(reached, (whole - 1) // 2)], values[bisect_right(reached, whole // 2)]
    return sum(middle) / 2
