"""Falsified entries in a few subjects, and an embedder that knows these, for tests of clusters."""

from __future__ import annotations

import hashlib
import math
from typing import Any

from django.utils import timezone

from ghap.intake import receive
from ghap.models import Cluster, Clustering, ClusterMember, Entry
from memoryserver.accounts.models import Project, User
from memoryserver.embedding import Vector
from tests.support.embedder import WordEmbedder
from tests.support.rows.ghap_entries import falsified

Told = tuple[str, str, str, str]
"""What was expected, what was seen, the surprise, and the root cause."""

FAILURES: dict[str, list[Told]] = {
    "time zone": [
        (
            "The report counts 31 orders for March",
            "It counted 30",
            "Dates were cut at UTC midnight",
            "Times were converted to UTC before the day was taken, not to the local time zone",
        ),
        (
            "The calendar shows the event on Friday",
            "Event appears on Thursday",
            "The server runs in another time zone",
            "Naive datetimes were read as UTC",
        ),
        (
            "Reminder fires at 9:00",
            "It fired at 8:00 after the clocks changed",
            "Daylight saving time",
            "A fixed UTC offset was stored where a time zone was needed",
        ),
        (
            "test_next_run passes on CI",
            "Failed on CI, passes locally",
            "CI has TZ=UTC, the laptop Europe/Berlin",
            "The test compared local time with UTC",
        ),
    ],
    "mock": [
        (
            "The test fails without the fix",
            "It passed all the same",
            "The mock replaced the function under test",
            "The patch target of the mock was the place of definition, not of use",
        ),
        (
            "call_count is 1",
            "It was 3",
            "The mock was shared by three tests",
            "Mock defined at module level and never reset",
        ),
        (
            "test_send uses the fake mailer",
            "A real mail went out",
            "The mock patched the wrong module path",
            "The module imports the mailer by name before the mock is in place",
        ),
        (
            "The fake clock stops time in the test",
            "Time went on",
            "datetime was imported by name, so the mock missed it",
            "The mock of datetime was applied after import",
        ),
    ],
    "index": [
        (
            "Query takes 10 ms",
            "Still 4 s",
            "The planner chose a sequential scan",
            "The index is on the column, the query on lower(column)",
        ),
        (
            "The new index is used by the query",
            "EXPLAIN shows Seq Scan",
            "The table's statistics were stale",
            "The planner's statistics were outdated, so it did not use the index",
        ),
        (
            "Sorting is fast",
            "Sort spilled to disk",
            "The index has the other column order",
            "Composite index in the wrong order for this query",
        ),
    ],
}
ODD: list[Told] = [
    (
        "The animation is smooth",
        "It stuttered",
        "The GPU layer was made anew each frame",
        "will-change was set in the animation",
    ),
    (
        "Users find the button",
        "They clicked the logo",
        "Nobody scrolls",
        "The button was below the fold",
    ),
    (
        "The printer prints A4",
        "It printed Letter",
        "The driver ignores the option",
        "Driver default wins over the job option",
    ),
    (
        "The bill falls by half",
        "It rose",
        "Logs were shipped twice",
        "Two exporters were configured",
    ),
]

_SIGNS = {
    "time zone": ("UTC", "zone", "Daylight"),
    "mock": ("mock",),
    "index": ("index", "planner"),
}


class SubjectEmbedder(WordEmbedder):
    """Texts of one subject lie close together, odd ones far from everything; quick, where the model takes seconds."""

    model_name = "subjects"
    dimension = 64 + len(_SIGNS) + 256

    def embed(self, text: str) -> Vector:
        """The words' vector, and a long way along the axis of the subject, or along one of the text's own."""
        subjects = [4.0 * any(sign in text for sign in signs) for signs in _SIGNS.values()]
        own = [0.0] * 256
        if not any(subjects):
            own[hashlib.sha256(text.encode()).digest()[0]] = 4.0
        vector = [*WordEmbedder().embed(text), *subjects, *own]
        length = math.hypot(*vector)
        return [number / length for number in vector]


def failure(number: int, told: Told, **changes: Any) -> dict[str, Any]:
    """The entry that tells `told`, with the id of `number`."""
    expected, seen, surprise, cause = told
    outcome = {"status": "falsified", "result": seen, "captured_at": "2026-11-20T14:50:00Z", "auto_captured": False}
    return falsified(
        id=ghap_id(number),
        goal=f"Goal {number}",
        hypothesis=expected,
        prediction=expected,
        outcome=outcome,
        surprise=surprise,
        root_cause={"category": "wrong-assumption", "description": cause},
        **changes,
    )


def ghap_id(number: int) -> str:
    """The id of the entry of `number`."""
    return f"ghap_20261120_{number:06d}_a1b2c3"


def failures(*subjects: str, odd: bool = False) -> list[dict[str, Any]]:
    """All failures of `subjects`, and the odd ones too if asked for, numbered from 0."""
    told = [one for subject in subjects for one in FAILURES[subject]] + (ODD if odd else [])
    return [failure(number, one) for number, one in enumerate(told)]


def clustered(
    user: User, project: Project | None, numbers: range, axis: str = "surprise", terms: tuple[str, ...] = ("zone",)
) -> Cluster:
    """A cluster of entries of `user`'s in `project`, as the job stores it."""
    entries = [failure(number, FAILURES["time zone"][0]) for number in numbers]
    receive(user, project, entries)
    clustering, _ = Clustering.objects.get_or_create(
        axis=axis,
        user=None if project and project.team else user,
        project=project,
        defaults={"computed_at": timezone.now(), "total": len(numbers), "considered": len(numbers)},
    )
    cluster = Cluster.objects.create(
        clustering=clustering,
        rank=clustering.clusters.count() + 1,
        size=len(numbers),
        weight=round(len(numbers) * 0.8, 1),
        terms=list(terms),
    )
    rows = {row.ghap_id: row for row in Entry.objects.filter(user=user)}
    ClusterMember.objects.bulk_create(
        ClusterMember(cluster=cluster, entry=rows[ghap_id(number)], rank=rank, likeness=0.9 - rank / 100)
        for rank, number in enumerate(numbers, start=1)
    )
    return cluster
