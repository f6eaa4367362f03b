"""What a session's context says of a project's failures and of the strategies that work in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ghap.context import FAILURES, WORKING, failures, working
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.context.sections import Line, all_sections
from tests.ghap.failures import FAILURES as SUBJECTS
from tests.ghap.failures import clustered
from tests.support.ghap_entries import falsified

FROM_ENTRY = "Stop the export from hanging: The disk was full. What helped: Look at df first"


def test_sections_are_registered() -> None:
    assert [section for section in all_sections() if section.name in ("failures", "strategies")] == [FAILURES, WORKING]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, Line(FROM_ENTRY, 0.75)),
        ({"lesson": None}, Line("Stop the export from hanging: The disk was full.", 0.45)),
        (
            {"lesson": {"what_worked": "Reading the log"}},
            Line("Stop the export from hanging: The disk was full. What helped: Reading the log", 0.75),
        ),
        (
            {"lesson": None, "root_cause": None, "surprise": "Was it\nthe lock?"},
            Line("Stop the export from hanging: Was it the lock?", 0.45),
        ),
        (
            {"goal": "word " * 40},
            Line(f"{('word ' * 40)[:79].rstrip()}…: The disk was full. What helped: Look at df first", 0.75),
        ),
    ],
    ids=["takeaway", "no lesson", "what worked", "surprise", "long goal"],
)
def test_falsified_entry_is_a_line_with_its_cause_and_what_helped(
    changes: dict[str, Any], line: Line, alice: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [falsified(**changes)])

    why = "falsified 2026-11-20" + (", with a lesson" if line.weight > 0.5 else "")
    assert failures(alice, shared_project.key) == [replace(line, why=why)]


def test_cluster_comes_first_and_weighs_by_its_size(alice: User, shared_project: Project) -> None:
    clustered(alice, shared_project, range(3), terms=("zone", "utc", "date", "fourth"))

    lines = failures(alice, shared_project.key)

    surprise = SUBJECTS["time zone"][0][2]
    assert lines[0].text == f"3 times (zone, utc, date): {surprise}"
    assert lines[0].weight == pytest.approx(0.79)
    assert lines[0].why == "failed 3 times"
    assert len(lines) == 3  # its medoid is not listed again


def test_surprises_and_root_causes_of_the_same_entries_are_one_line(alice: User, shared_project: Project) -> None:
    for axis in ("surprise", "root_cause"):
        clustered(alice, shared_project, range(3), axis=axis)

    assert [line.text[:7] for line in failures(alice, shared_project.key)].count("3 times") == 1


def test_poor_entries_other_projects_and_strangers_entries_are_left_out(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [falsified()])
    receive(alice, None, [falsified(id="ghap_20261120_143023_a1b2c4")])

    assert [len(failures(user, shared_project.key)) for user in (alice, bob, charlie)] == [1, 1, 0]
    Entry.objects.update(confidence_tier="bronze")
    assert failures(alice, shared_project.key) == []


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

    found = working(alice, shared_project.key)
    assert [line.text for line in found] == [line.text for line in lines]
    assert [line.weight for line in found] == pytest.approx([line.weight for line in lines])
