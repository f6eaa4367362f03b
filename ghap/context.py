"""What tends to fail in a project and which strategies work there, as its sessions are told of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ghap.clusters import FoundCluster, clusters_of
from ghap.local import ConfidenceTier, GHAPEntry, OutcomeStatus
from ghap.models import Entry
from ghap.strategies import performance
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.common.text import one_line, shorten
from memoryserver.context.sections import Line, Section

_CLUSTERS = 6
_ENTRIES = 20
_TERMS = 3
_GOAL = 80  # characters
_TELLING = ("Surprise: ", "Description: ", "Actual: ")
_ENOUGH = 3
"""Decided entries of a strategy; fewer say nothing of it."""


def failures(user: User, project: str) -> Sequence[Line]:
    """What failed again and again, by its clusters, then the newest falsified entries with what was learned of them.

    Of entries with a poor hypothesis nothing is told.
    """
    found = _distinct(clusters_of(user, project=project, limit=2 * _CLUSTERS).clusters)
    lines = [Line(_of_cluster(cluster), min(0.95, 0.7 + 0.03 * cluster.size)) for cluster in found[:_CLUSTERS]]
    told = {cluster.medoid.entry for cluster in found[:_CLUSTERS]}
    rows = visible_rows(Entry.objects.filter(outcome_status=OutcomeStatus.FALSIFIED.value), user)
    rows = rows.filter(project__key=project).exclude(confidence_tier=ConfidenceTier.BRONZE.value)
    newest = [row.entry for row in rows.exclude(ghap_id__in=told).order_by("-captured_at", "-pk")[:_ENTRIES]]
    return lines + [Line(_of_entry(entry), 0.75 if entry.lesson else 0.45) for entry in newest]


def working(user: User, project: str) -> Sequence[Line]:
    """The strategies whose predictions came true at least every second time, with enough entries to say so."""
    lines = []
    for found in performance(user, project=project):
        tally = found.overall
        decided = tally.confirmed + tally.falsified
        if decided >= _ENOUGH and 2 * tally.confirmed >= decided:
            often = f"{found.strategy}: confirmed {tally.confirmed} of {decided}"
            after = f", after {tally.mean_iterations:.1f} iterations on average" if tally.mean_iterations else ""
            lines.append(Line(often + after, 0.5 + 0.3 * tally.confirmed / decided * min(1.0, decided / 10)))
    return lines


def _distinct(clusters: Sequence[FoundCluster]) -> list[FoundCluster]:
    """One for each medoid: surprise and root cause of the same entries are the same story."""
    return list({cluster.medoid.entry: cluster for cluster in reversed(clusters)}.values())[::-1]


def _of_cluster(cluster: FoundCluster) -> str:
    said = cluster.medoid.text.split("\n")
    telling = next((line[len(start) :] for start in _TELLING for line in said if line.startswith(start)), "")
    about = ", ".join(cluster.terms[:_TERMS])
    return f"{cluster.size} times{f' ({about})' if about else ''}: {telling or cluster.medoid.goal}"


def _of_entry(entry: GHAPEntry) -> str:
    return " ".join(_parts(entry))


def _parts(entry: GHAPEntry) -> Iterator[str]:
    assert entry.outcome is not None  # only resolved entries come here
    why = entry.root_cause.description if entry.root_cause else entry.surprise or entry.outcome.result
    yield f"{shorten(one_line(entry.goal), _GOAL)}: {_ended(why)}"
    if entry.lesson:
        yield f"What helped: {entry.lesson.takeaway or entry.lesson.what_worked}"


def _ended(sentence: str) -> str:
    line = one_line(sentence)
    return line if line.endswith((".", "!", "?")) else f"{line}."


FAILURES = Section(name="failures", title="What tends to fail here", lines=failures)
WORKING = Section(name="strategies", title="Strategies that work here", lines=working)
