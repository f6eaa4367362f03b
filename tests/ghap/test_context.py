"""What a session's context says of a project's failures and of the strategies that work in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ghap.context import FAILURES, WORKING, failures, working
from ghap.intake import receive
from ghap.local import ConfidenceTier
from ghap.models import Entry, Failure
from ghap.recurring import recount
from memoryserver.accounts.models import Project, User
from memoryserver.context.sections import Line, all_sections
from tests.ghap.failures import FAILURES as SUBJECTS
from tests.ghap.failures import clustered
from tests.support.rows.ghap_entries import falsified

DECORATED = "F [100%]\n=== FAILURES ===\n____ test_half_up ____\nE   TypeError: unsupported operand\n1 failed in 0.10s"
BARE: dict[str, Any] = {"lesson": None, "root_cause": None, "surprise": None}
WHY = "No lock was held at all. Cause: The disk was full."
FROM_ENTRY = f"Stop the export from hanging: {WHY} What helped: Reading the kernel log; Look at df first"


def resulting_in(result: str) -> dict[str, Any]:
    return {"outcome": {**falsified()["outcome"], "result": result}}


def test_sections_are_registered() -> None:
    assert [section for section in all_sections() if section.name in ("failures", "strategies")] == [FAILURES, WORKING]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, Line(FROM_ENTRY, 0.75)),
        ({"lesson": None}, Line(f"Stop the export from hanging: {WHY}", 0.45)),
        (
            {"lesson": {"what_worked": "Reading the log"}},
            Line(f"Stop the export from hanging: {WHY} What helped: Reading the log", 0.75),
        ),
        (
            {"lesson": None, "root_cause": None, "surprise": "Was it\nthe lock?"},
            Line("Stop the export from hanging: Was it the lock?", 0.45),
        ),
        (
            {"lesson": None, "surprise": None},
            Line("Stop the export from hanging: The disk was full.", 0.45),
        ),
        (
            {"goal": "word " * 40, "lesson": None},
            Line(f"{('word ' * 40)[:79].rstrip()}…: {WHY}", 0.45),
        ),
        (
            BARE | resulting_in(f"assert 1 == 2\n`pytest` ended\n\n{DECORATED}"),
            Line("Stop the export from hanging: assert 1 == 2.", 0.45),
        ),
        (
            BARE
            | {"outcome": {**falsified()["outcome"], "result": f"Its check ended with exit status 1: x\n{DECORATED}"}},
            Line("Stop the export from hanging: TypeError: unsupported operand (1 failed in 0.10s).", 0.45),
        ),
    ],
    ids=["both lessons", "no lesson", "what worked", "surprise", "cause", "long goal", "by check", "by check before"],
)
def test_falsified_entry_is_a_line_with_its_cause_and_what_helped(
    changes: dict[str, Any], line: Line, alice: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [falsified(**changes)])

    why = "falsified 2026-11-20" + (", with a lesson" if line.weight > 0.5 else "")
    page = f"/entries/{Entry.objects.get().pk}/"
    assert failures(alice, shared_project.key).lines == [replace(line, why=why, page=page)]


def recurring(user: User, project: Project, numbers: range, axis: str = "surprise") -> Failure:
    """A failure of entries of `user`'s in `project`, as the nightly jobs make it."""
    clustering = clustered(user, project, numbers, axis=axis).clustering
    recount.recount(clustering.user_id, clustering.project_id)
    return Failure.objects.latest("pk")


def test_recurring_failure_is_one_line_that_speaks_for_its_entries(alice: User, shared_project: Project) -> None:
    row = recurring(alice, shared_project, range(3))
    receive(alice, shared_project, [falsified()])
    told = SUBJECTS["time zone"][0]

    lines = failures(alice, shared_project.key).lines

    assert [line.text for line in lines] == [
        f"Goal 0 (failed 3 times): {told[3]}. What helped: Look at df first",
        FROM_ENTRY,
    ]
    assert lines[0].weight == pytest.approx(0.79)
    assert lines[0].page == f"/failures/{row.pk}/"
    assert lines[0].why == f"failed 3 times, last on {row.last_seen:%Y-%m-%d}"
    assert lines[1].page == f"/entries/{Entry.objects.latest('pk').pk}/"


def test_failure_that_a_person_named_is_told_by_its_name(alice: User, shared_project: Project) -> None:
    recurring(alice, shared_project, range(3))
    Failure.objects.update(name="Local time and UTC")

    assert failures(alice, shared_project.key).lines[0].text.startswith("Local time and UTC (failed 3 times): ")


def test_surprises_and_root_causes_of_the_same_entries_are_one_line(alice: User, shared_project: Project) -> None:
    for axis in ("surprise", "root_cause"):
        recurring(alice, shared_project, range(3), axis=axis)

    assert len(failures(alice, shared_project.key).lines) == 1


@pytest.mark.parametrize(("state", "told"), [("open", 1), ("known", 1), ("regressed", 1), ("solved", 0)])
def test_solved_failure_and_its_entries_are_left_out(
    state: str, told: int, alice: User, shared_project: Project
) -> None:
    recurring(alice, shared_project, range(3))
    Failure.objects.update(state=state)

    assert len(failures(alice, shared_project.key).lines) == told
    assert [line.why for line in failures(alice, shared_project.key).left_out()] == ["solved"] * (1 - told) + [
        "its recurring failure speaks for it"
    ] * 3


def test_poor_entries_other_projects_and_strangers_entries_are_left_out(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [falsified()])
    receive(alice, None, [falsified(id="ghap_20261120_143023_a1b2c4")])

    assert [len(failures(user, shared_project.key).lines) for user in (alice, bob, charlie)] == [1, 1, 0]
    Entry.objects.update(confidence_tier="bronze")
    assert failures(alice, shared_project.key).lines == []
    assert [line.why for line in failures(alice, shared_project.key).left_out()] == ["its hypothesis is poor"]
    assert list(failures(charlie, shared_project.key).left_out()) == []


@pytest.mark.parametrize(
    ("statuses", "lines"),
    [
        (["confirmed"] * 2 + ["abandoned"] * 5, []),
        (["confirmed", "falsified", "falsified"], []),
        (
            ["confirmed", "confirmed", "falsified", "falsified"],
            [
                Line(
                    "systematic-elimination: confirmed 2 of 4, after 2.0 iterations on average",
                    0.5 + 0.3 * 0.5 * 0.4,
                    why="confirmed in at least half of 4 entries",
                )
            ],
        ),
        (
            ["confirmed"] * 10,
            [
                Line(
                    "systematic-elimination: confirmed 10 of 10, after 2.0 iterations on average",
                    0.8,
                    why="confirmed in at least half of 10 entries",
                )
            ],
        ),
    ],
    ids=["too few decided", "mostly falsified", "half confirmed", "all confirmed"],
)
def test_strategy_is_listed_once_it_is_decided_often_and_mostly_confirmed(
    statuses: list[str], lines: list[Line], alice: User, shared_project: Project, send: Callable[..., None]
) -> None:
    for status in statuses:
        send(alice, status, 2, project=shared_project)

    found = working(alice, shared_project.key).lines
    assert [line.text for line in found] == [line.text for line in lines]
    assert [line.weight for line in found] == pytest.approx([line.weight for line in lines])


def test_strategy_of_poor_hypotheses_alone_is_not_listed(
    alice: User, shared_project: Project, send: Callable[..., None]
) -> None:
    for _ in range(3):
        send(alice, "confirmed", 2, project=shared_project)
    assert [line.text.partition(",")[0] for line in working(alice, shared_project.key).lines] == [
        "systematic-elimination: confirmed 3 of 3"
    ]

    Entry.objects.update(confidence_tier=ConfidenceTier.BRONZE.value)

    assert working(alice, shared_project.key).lines == []
