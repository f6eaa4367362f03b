"""What becomes of learnings that a new one is said to replace."""

from __future__ import annotations

import pytest

from capture.merging import disagreements
from capture.models import Contradiction, Learning, LearningUsage
from capture.review.contradictions import decide
from capture.review.replacing import replace
from memoryserver.accounts.models import Project, User
from tests.capture.review.conftest import learn


def states() -> list[tuple[str, str, str | None]]:
    return list(Contradiction.objects.order_by("pk").values_list("reason", "decision", "decided_by__username"))


def test_learning_that_the_user_may_change_is_hidden_as_a_decision(alice: User, shared_project: Project) -> None:
    earlier, later = learn(alice, shared_project, "On port 1", 1), learn(alice, shared_project, "Moved", 2)

    replace(alice, later, [earlier.pk, earlier.pk])
    replace(alice, later, [earlier.pk])

    earlier.refresh_from_db()
    assert (earlier.hidden, states()) == (True, [("stated", "later", "alice")])


def test_learning_of_a_team_mate_is_marked_until_they_decide(alice: User, bob: User, shared_project: Project) -> None:
    earlier, later = learn(alice, shared_project, "On port 1", 1), learn(bob, shared_project, "Moved", 2)

    replace(bob, later, [earlier.pk])
    disagreements.record(later, [])

    earlier.refresh_from_db()
    assert (earlier.hidden, states()) == (False, [("stated", "", None)])
    assert LearningUsage.objects.get(learning=earlier).contradicted == 1
    decide(alice, Contradiction.objects.get().pk, "later")
    assert Learning.objects.get(hidden=True) == earlier


def test_nothing_is_replaced_if_one_cannot_be(alice: User, charlie: User, shared_project: Project) -> None:
    earlier, later = learn(alice, shared_project, "On port 1", 1), learn(alice, shared_project, "Moved", 2)
    private = learn(charlie, None, "Private", 1)

    for keys, error in (([private.pk], "not found or not visible"), ([2**62], "not found"), ([later.pk], "itself")):
        with pytest.raises(ValueError, match=error):
            replace(alice, later, [earlier.pk, *keys])

    assert (states(), Learning.objects.filter(hidden=True).count()) == ([], 0)
    assert not LearningUsage.objects.filter(contradicted__gt=0).exists()


def test_learning_that_was_decided_to_stay_stays(alice: User, shared_project: Project) -> None:
    earlier, later = learn(alice, shared_project, "On port 1", 1), learn(alice, shared_project, "On port 2", 2)
    row = Contradiction.objects.create(earlier=earlier, later=later, reason="value")
    decide(alice, row.pk, "both")

    with pytest.raises(ValueError, match=f"about learning {earlier.pk}, this was decided already"):
        replace(alice, later, [earlier.pk])
