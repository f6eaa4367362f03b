"""Sections of a session's context: common failures and working strategies of a project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ghap.clusters import FoundCluster, clusters_of, distinct
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
_PREFERRED_LINES = ("Surprise: ", "Description: ", "Actual: ")
_MIN_DECIDED = 3
"""Decided entries that a strategy needs to be listed."""


def failures(user: User, project: str) -> Sequence[Line]:
    """Return recurring failures, by cluster, then the newest falsified entries with their lessons.

    Entries with a poor hypothesis are left out.
    """
    clusters = distinct(clusters_of(user, project=project, limit=2 * _CLUSTERS).clusters)[:_CLUSTERS]
    lines = [
        Line(_cluster_line(cluster), min(0.95, 0.7 + 0.03 * cluster.size), why=f"failed {cluster.size} times")
        for cluster in clusters
    ]
    listed = {cluster.medoid.entry for cluster in clusters}
    rows = visible_rows(Entry.objects.filter(outcome_status=OutcomeStatus.FALSIFIED.value), user)
    rows = rows.filter(project__key=project).exclude(confidence_tier=ConfidenceTier.BRONZE.value)
    newest = [row.entry for row in rows.exclude(ghap_id__in=listed).order_by("-captured_at", "-pk")[:_ENTRIES]]
    return lines + [
        Line(
            _entry_line(entry),
            0.75 if entry.lesson else 0.45,
            why=f"falsified {entry.created_at:%Y-%m-%d}{', with a lesson' if entry.lesson else ''}",
        )
        for entry in newest
    ]


def working(user: User, project: str) -> Sequence[Line]:
    """Return the strategies with at least _MIN_DECIDED decided entries, of which at least half were confirmed."""
    lines = []
    for strategy in performance(user, project=project):
        tally = strategy.overall
        decided = tally.confirmed + tally.falsified
        if decided >= _MIN_DECIDED and 2 * tally.confirmed >= decided:
            often = f"{strategy.strategy}: confirmed {tally.confirmed} of {decided}"
            after = f", after {tally.mean_iterations:.1f} iterations on average" if tally.mean_iterations else ""
            weight = 0.5 + 0.3 * tally.confirmed / decided * min(1.0, decided / 10)
            lines.append(Line(often + after, weight, why=f"confirmed in at least half of {decided} entries"))
    return lines


def _cluster_line(cluster: FoundCluster) -> str:
    medoid_lines = cluster.medoid.text.split("\n")
    text = next(
        (line[len(start) :] for start in _PREFERRED_LINES for line in medoid_lines if line.startswith(start)), ""
    )
    about = ", ".join(cluster.terms[:_TERMS])
    return f"{cluster.size} times{f' ({about})' if about else ''}: {text or cluster.medoid.goal}"


def _entry_line(entry: GHAPEntry) -> str:
    return " ".join(_parts(entry))


def _parts(entry: GHAPEntry) -> Iterator[str]:
    assert entry.outcome is not None  # entries on the server are resolved
    why = entry.root_cause.description if entry.root_cause else entry.surprise or entry.outcome.result
    yield f"{shorten(one_line(entry.goal), _GOAL)}: {_with_full_stop(why)}"
    if entry.lesson:
        yield f"What helped: {entry.lesson.takeaway or entry.lesson.what_worked}"


def _with_full_stop(sentence: str) -> str:
    line = one_line(sentence)
    return line if line.endswith((".", "!", "?")) else f"{line}."


FAILURES = Section(name="failures", title="What tends to fail here", lines=failures)
WORKING = Section(name="strategies", title="Strategies that work here", lines=working)
