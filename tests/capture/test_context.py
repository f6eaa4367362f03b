"""Which learnings a session's context offers, and with which weight."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from capture import context
from capture.context import SECTION, offer
from capture.models import Contradiction, Learning
from memoryserver.accounts.models import Project, User
from memoryserver.context.sections import PINNED, all_sections
from tests.support.rows.factories import ProjectFactory


def learn(user: User, project: Project | None, content: str, **changes: Any) -> Learning:
    now = timezone.now()
    fields = {"type": "correction", "confidence": 1.0, "first_seen": now, "last_seen": now, **changes}
    return Learning.objects.create(user=user, project=project, content=content, **fields)


def texts(user: User, project: Project) -> list[str]:
    return [line.text for line in offer(user, project.key).lines]


def weight(user: User, project: Project) -> float:
    (line,) = offer(user, project.key).lines
    return line.weight


def test_section_is_registered() -> None:
    assert [section for section in all_sections() if section.name == "learned"] == [SECTION]


@pytest.mark.parametrize(("changes", "added"), [({}, 0.0), ({"pinned": True}, PINNED)], ids=["believed", "pinned"])
def test_weight_is_that_of_the_judgement_and_pinned_ones_are_above_all(
    changes: dict[str, Any], added: float, alice: User, shared_project: Project
) -> None:
    learn(alice, shared_project, "Use uv", **changes)

    assert weight(alice, shared_project) == pytest.approx(0.99 + added, abs=1e-3)


def test_line_that_a_later_learning_contradicts_says_so_until_it_is_decided(
    alice: User, shared_project: Project
) -> None:
    earlier = learn(alice, shared_project, "use npm, not pnpm")
    later = learn(alice, shared_project, "use pnpm, not npm")
    contradiction = Contradiction.objects.create(earlier=earlier, later=later, reason="rejected")

    undecided = set(texts(alice, shared_project))
    Contradiction.objects.filter(pk=contradiction.pk).update(decision="both")

    assert undecided == {
        "[correction] use npm, not pnpm (contradicted by a later one, not yet decided)",
        "[correction] use pnpm, not npm",
    }
    assert set(texts(alice, shared_project)) == {"[correction] use npm, not pnpm", "[correction] use pnpm, not npm"}


def test_contradicted_line_comes_after_the_later_one_unless_it_is_pinned(alice: User, shared_project: Project) -> None:
    earlier = learn(alice, shared_project, "use npm, not pnpm", type="correction")
    later = learn(alice, shared_project, "use pnpm, not npm", type="test")
    latest = learn(alice, shared_project, "use bun, not pnpm", type="outcome")
    Contradiction.objects.create(earlier=earlier, later=later, reason="rejected")
    Contradiction.objects.create(earlier=later, later=latest, reason="rejected")

    weights = {line.key: line.weight for line in offer(alice, shared_project.key).lines}
    Learning.objects.filter(pk=earlier.pk).update(pinned=True)
    pinned = {line.key: line.weight for line in offer(alice, shared_project.key).lines}

    assert weights[str(latest.pk)] > weights[str(later.pk)] > weights[str(earlier.pk)]
    assert pinned[str(earlier.pk)] > PINNED


def test_reports_and_doubted_learnings_are_left_out_with_the_reason(alice: User, shared_project: Project) -> None:
    learn(alice, shared_project, "Use uv")
    report = learn(alice, shared_project, "All 66 tests pass", is_report=True)
    learn(alice, shared_project, "It may be the cache", confidence=0.2)
    learn(alice, shared_project, "Hidden", hidden=True)

    omitted = offer(alice, shared_project.key).left_out()

    assert texts(alice, shared_project) == ["[correction] Use uv"]
    assert [(line.text, line.why.partition(";")[0]) for line in omitted] == [
        ("[correction] All 66 tests pass", "a status report, which never enters a context"),
        ("[correction] It may be the cache", "not believed"),
    ]
    assert omitted[0].page == f"/learnings/{report.pk}/"


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

    learn(alice, shared_project, "Doubted", confidence=0.1)

    assert [len(texts(user, shared_project)) for user in (alice, bob, charlie)] == [1, 1, 0]
    assert [len(offer(user, shared_project.key).left_out()) for user in (alice, bob, charlie)] == [1, 1, 0]


def test_at_most_forty_lines_and_the_pinned_one_is_among_them(alice: User, shared_project: Project) -> None:
    learn(alice, shared_project, "Pinned", type="checkpoint", pinned=True)
    for number in range(50):
        learn(alice, shared_project, f"Number {number}")

    found = offer(alice, shared_project.key).lines

    assert len(found) == 40
    assert found[0].text == "[checkpoint] Pinned"


def test_large_project_shows_what_is_new_within_a_minute_and_other_changes_at_once(
    alice: User, shared_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "_MANY", 0)
    first, second = [learn(alice, shared_project, text, confidence=0.9) for text in ("Use uv", "Never force-push")]
    assert texts(alice, shared_project) == ["[correction] Never force-push", "[correction] Use uv"]
    assert offer(alice, shared_project.key).left_out() == []

    learn(alice, shared_project, "New")
    pinned = learn(alice, shared_project, "New, but pinned", pinned=True)
    Learning.objects.filter(pk=second.pk).update(hidden=True)
    assert texts(alice, shared_project) == ["[correction] New, but pinned", "[correction] Use uv"]

    Learning.objects.filter(pk=first.pk).update(confidence=0.2)  # it is doubted now
    assert texts(alice, shared_project) == [f"[correction] {pinned.content}"]

    cache.clear()
    assert texts(alice, shared_project) == ["[correction] New, but pinned", "[correction] New"]
    assert [line.text for line in offer(alice, shared_project.key).left_out()] == ["[correction] Use uv"]
