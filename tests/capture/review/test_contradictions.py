"""Who sees contradictions, who decides, and what a decision changes."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from capture import curation
from capture.models import Contradiction, Learning
from capture.review.contradictions import AlreadyDecidedError, Keep, decide, find, may_decide, of_learning
from memoryserver.accounts.models import Project, User
from obslog.models import Observation
from tests.capture.review.conftest import NEW, OLD, learn


def hidden() -> list[str]:
    return list(Learning.objects.filter(hidden=True).values_list("content", flat=True))


def test_owner_and_team_mate_see_it_and_a_stranger_does_not(
    row: Contradiction, alice: User, bob: User, charlie: User
) -> None:
    assert [list(find(user).contradictions) for user in (alice, bob, charlie)] == [[row], [row], []]
    assert [list(of_learning(user, row.earlier)) for user in (alice, charlie)] == [[row], []]


def test_one_with_a_learning_that_the_user_may_not_see_is_not_listed(
    row: Contradiction, alice: User, bob: User
) -> None:
    Contradiction.objects.create(earlier=learn(alice, None, OLD, 1), later=row.later, reason="value")

    assert list(find(bob).contradictions) == [row]


@pytest.mark.parametrize(
    ("keep", "expected"), [("earlier", [NEW]), ("later", [OLD]), ("both", [])], ids=["earlier", "later", "both"]
)
def test_decision_hides_the_other_learning_and_is_in_the_log(
    keep: Keep, expected: list[str], row: Contradiction, alice: User
) -> None:
    decide(alice, row.pk, keep)

    decided = find(alice, state="decided").contradictions
    assert [(each.decision, each.decided_by) for each in decided] == [(keep, alice)]
    assert (hidden(), list(find(alice).contradictions)) == (expected, [])
    logged = Observation.objects.get(type="capture.contradiction_decided")
    assert (logged.data, Learning.objects.count()) == ({"decision": keep, "reason": "value"}, 2)


def test_repeated_decision_changes_nothing_and_another_one_is_refused(row: Contradiction, alice: User) -> None:
    decide(alice, row.pk, "later")
    decide(alice, row.pk, "later")
    with pytest.raises(AlreadyDecidedError):
        decide(alice, row.pk, "earlier")

    assert (hidden(), Observation.objects.filter(type="capture.contradiction_decided").count()) == ([OLD], 1)


def test_team_mate_decides_only_against_their_own_learning(row: Contradiction, bob: User, charlie: User) -> None:
    keeps: tuple[Keep, ...] = ("earlier", "later", "both")
    assert [may_decide(bob, row, keep) for keep in keeps] == [True, False, True]
    with pytest.raises(PermissionDenied):
        decide(bob, row.pk, "later")
    with pytest.raises(Http404):
        decide(charlie, row.pk, "both")

    row.refresh_from_db()
    assert (row.decision, hidden()) == ("", [])


def test_open_one_whose_learning_was_hidden_needs_no_review_until_it_is_shown_again(
    row: Contradiction, alice: User
) -> None:
    curation.change(alice, row.earlier_id, hidden=True)
    assert list(find(alice).contradictions) == []

    curation.change(alice, row.earlier_id, hidden=False)
    assert list(find(alice).contradictions) == [row]


def test_project_narrows_the_list(row: Contradiction, alice: User, shared_project: Project) -> None:
    assert [len(find(alice, project=key).contradictions) for key in (shared_project.key, "other")] == [1, 0]


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 101}, {"state": "x"}], ids=["none", "many", "state"])
def test_invalid_arguments_are_refused(arguments: dict[str, Any], alice: User) -> None:
    with pytest.raises(ValueError, match="limit|state"):
        find(alice, **arguments)
