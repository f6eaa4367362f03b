"""Contradictions that the job records and withdraws."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from capture import curation, documents
from capture.belief import usage
from capture.belief.rules import judged, judgement
from capture.merging.duplicates import merge_pending
from capture.models import Contradiction, Learning
from memoryserver.accounts.models import Project, User
from memoryserver.embedding.onnx.service import OnnxService
from obslog.models import Observation

OLD, NEW = "The webhook times out after 10 seconds", "The webhook times out after 30 seconds"


def recorded() -> list[tuple[str, str, str]]:
    rows = Contradiction.objects.select_related("earlier", "later").order_by("pk")
    return [(row.earlier.content, row.later.content, row.reason) for row in rows]


def test_contradiction_is_recorded_once_with_the_earlier_one_first_and_hides_nothing(
    learn: Any, alice: User, bob: User, shared_project: Project
) -> None:
    learn(bob, shared_project, NEW, time=datetime(2026, 11, 3, tzinfo=UTC))
    old = learn(alice, shared_project, OLD, time=datetime(2026, 11, 1, tzinfo=UTC))

    assert (merge_pending(), merge_pending()) == (0, 0)

    assert recorded() == [(OLD, NEW, "value")]
    assert Learning.objects.filter(hidden=False, merged_into=None).count() == 2
    assert usage.uses(old)["contradicted"] == 1
    observation = Observation.objects.get(type="capture.contradiction_found")
    assert (observation.user_id, observation.data) == (bob.pk, {"reason": "value"})


def test_learnings_of_other_projects_and_status_reports_do_not_contradict(
    learn: Any, alice: User, shared_project: Project
) -> None:
    learn(alice, shared_project, OLD)
    learn(alice, None, NEW)
    learn(alice, shared_project, "58 tests pass with 96% coverage")
    learn(alice, shared_project, "68 tests pass with 99% coverage")
    merge_pending()

    assert recorded() == []


def test_better_wording_that_a_learning_is_merged_into_takes_over_its_contradictions(
    learn: Any, alice: User, bob: User, shared_project: Project
) -> None:
    learn(alice, shared_project, "Use pnpm, not npm", time=datetime(2026, 11, 1, tzinfo=UTC))
    learn(alice, shared_project, "Use npm, not pnpm", time=datetime(2026, 11, 2, tzinfo=UTC))
    merge_pending()
    better = "This repository uses pnpm instead of npm"
    learn(bob, shared_project, better, time=datetime(2026, 11, 3, tzinfo=UTC))

    assert merge_pending() == 1

    shown = Contradiction.objects.filter(earlier__merged_into=None, later__merged_into=None)
    assert [(row.earlier.content, row.later.content) for row in shown] == [("Use npm, not pnpm", better)]


def test_correction_of_the_wording_withdraws_an_open_contradiction(
    learn: Any, alice: User, shared_project: Project, real_model: OnnxService
) -> None:
    old = learn(alice, shared_project, OLD)
    learn(alice, shared_project, NEW)
    merge_pending()

    curation.change(alice, old.pk, content="The webhook of payments is retried")
    old.refresh_from_db()
    documents.embed(alice, shared_project, [old], real_model)
    Learning.objects.filter(pk=old.pk).update(embedded_digest=old.content_digest)
    merge_pending()

    assert recorded() == []


def test_decided_contradiction_is_neither_withdrawn_nor_opened_again(
    learn: Any, alice: User, shared_project: Project
) -> None:
    learn(alice, shared_project, OLD)
    learn(alice, shared_project, NEW)
    merge_pending()
    Contradiction.objects.update(decision="both")
    Learning.objects.update(compared_digest="")
    merge_pending()

    assert list(Contradiction.objects.values_list("decision", flat=True)) == ["both"]


@pytest.mark.parametrize(
    ("change", "odds"),
    [({}, 4.5), ({"decision": "both"}, 9.0), ({"hidden": True}, 9.0)],
    ids=["open", "decided", "other one hidden"],
)
def test_odds_of_the_earlier_one_are_halved_while_the_contradiction_is_open(
    change: dict[str, Any], odds: float, learn: Any, alice: User, shared_project: Project
) -> None:
    old = learn(alice, shared_project, OLD)
    new = learn(alice, shared_project, NEW)
    merge_pending()
    if "decision" in change:
        Contradiction.objects.update(**change)
    Learning.objects.filter(pk=new.pk).update(**{key: value for key, value in change.items() if key == "hidden"})
    Learning.objects.update(last_seen=timezone.now())  # belief fades with the time since then

    judgements = {row.pk: judgement(row) for row in judged(Learning.objects.all())}

    assert judgements[old.pk].belief == pytest.approx(odds / (1 + odds), abs=5e-3)
    assert judgements[old.pk].contradicted is (odds < 9)
    assert judgements[new.pk].belief == pytest.approx(0.9, abs=5e-3)
