"""Which learnings a session's context offers, and with which weight."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from capture.context import SECTION, lines
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from memoryserver.context.sections import PINNED, Line, all_sections
from tests.support.factories import ProjectFactory


def learn(user: User, project: Project | None, content: str, **changes: Any) -> Learning:
    now = timezone.now()
    fields = {"type": "correction", "confidence": 1.0, "first_seen": now, "last_seen": now, **changes}
    return Learning.objects.create(user=user, project=project, content=content, **fields)


def texts(user: User, project: Project) -> list[str]:
    return [line.text for line in lines(user, project.key)]


def weight(user: User, project: Project) -> float:
    (line,) = lines(user, project.key)
    return line.weight


def test_section_is_registered() -> None:
    assert [section for section in all_sections() if section.name == "learned"] == [SECTION]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 1.0 * 1.0 * 0.75 * 1.0),
        ({"confidence": 0.5}, 0.8 * 0.75),
        ({"type": "checkpoint"}, 0.1 * 0.75),
        ({"type": "of the future"}, 0.3 * 0.75),
        ({"seen_count": 8}, 1.0),
        ({"seen_count": 1_000_000}, 1.0),
        ({"pinned": True}, PINNED + 0.75),
    ],
    ids=["all best", "half sure", "checkpoint", "unknown type", "seen eight times", "seen very often", "pinned"],
)
def test_weight_follows_the_formula(
    changes: dict[str, Any], expected: float, alice: User, shared_project: Project
) -> None:
    learn(alice, shared_project, "Use uv", **changes)

    assert weight(alice, shared_project) == pytest.approx(expected, abs=1e-3)


def test_learning_of_long_ago_keeps_half_of_its_weight(alice: User, shared_project: Project) -> None:
    learn(alice, shared_project, "Use uv", last_seen=timezone.now() - timedelta(days=100 * 365))

    assert weight(alice, shared_project) == pytest.approx(0.75 / 2, abs=1e-3)


def test_time_in_the_future_adds_no_weight(alice: User, shared_project: Project) -> None:
    learn(alice, shared_project, "Use uv", last_seen=timezone.now() + timedelta(days=365))

    assert weight(alice, shared_project) == pytest.approx(0.75, abs=1e-3)


def test_line_names_the_type_and_hidden_learnings_and_other_projects_are_left_out(
    alice: User, shared_project: Project
) -> None:
    learn(alice, shared_project, "Use uv")
    learn(alice, shared_project, "Hidden", hidden=True)
    learn(alice, ProjectFactory(owner=alice), "Elsewhere")
    learn(alice, None, "Of no project")

    assert texts(alice, shared_project) == ["[correction] Use uv"]


def test_mate_gets_the_lines_of_a_shared_project_and_a_stranger_none(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    learn(alice, shared_project, "Use uv")

    assert [len(texts(user, shared_project)) for user in (alice, bob, charlie)] == [1, 1, 0]


def test_at_most_forty_lines_and_the_pinned_one_is_among_them(alice: User, shared_project: Project) -> None:
    learn(alice, shared_project, "Pinned", type="checkpoint", pinned=True)
    for number in range(50):
        learn(alice, shared_project, f"Number {number}")

    found = lines(alice, shared_project.key)

    assert len(found) == 40
    assert found[0] == Line("[checkpoint] Pinned", found[0].weight)
