"""Names and states that people give failures."""

from __future__ import annotations

import pytest
from django.http import Http404
from django.test import TestCase
from django.utils import timezone
from django_q.models import OrmQ

from ghap.models import Clustering, Failure
from ghap.recurring import changes
from memoryserver.accounts.models import Project, User
from obslog.models import Observation
from tests.ghap.recurring.test_queries import failing


def test_member_of_the_team_names_and_solves_a_failure(alice: User, bob: User, shared_project: Project) -> None:
    row = failing(alice, shared_project, range(3))
    before = timezone.now()

    changes.change(bob, row.pk, name="  Clocks \n of the report ", state="solved")

    row.refresh_from_db()
    assert (row.name, row.state, row.state_by, row.state_since > before) == (
        "Clocks of the report",
        "solved",
        bob,
        True,
    )
    logged = Observation.objects.get(type="ghap.failure_changed")
    assert (logged.user_id, logged.scope_ids) == (bob.pk, [f"failure:{row.pk}", f"project:{row.project_id}"])


def test_same_state_again_changes_and_logs_nothing(alice: User) -> None:
    row = failing(alice, None, range(3))

    changes.change(alice, row.pk, name="", state="open")

    assert Failure.objects.filter(state_since=row.state_since, state_by=None).exists()
    assert not Observation.objects.filter(type="ghap.failure_changed").exists()


def test_name_can_be_taken_away_and_holds_no_secret(alice: User) -> None:
    row = failing(alice, None, range(3))

    changed = changes.change(alice, row.pk, name="push with ghp_" + "a1B2" * 9)
    assert changed.name == "push with [redacted:github-token]"

    assert changes.change(alice, row.pk, name="").name == ""


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"state": "regressed"}, "state: must be one of open, known, solved"),
        ({"name": "x" * 201}, "name: at most 200 characters"),
    ],
)
def test_invalid_value_is_refused_with_the_reason(alice: User, values: dict[str, str], reason: str) -> None:
    row = failing(alice, None, range(3))

    with pytest.raises(ValueError, match=reason):
        changes.change(alice, row.pk, **values)


def test_stranger_changes_nothing(alice: User, charlie: User) -> None:
    row = failing(alice, None, range(3))

    with pytest.raises(Http404):
        changes.change(charlie, row.pk, state="solved")

    assert Failure.objects.get().state == "open"


def test_recount_on_request_makes_the_user_s_clusterings_due(alice: User, bob: User) -> None:
    failing(alice, None, range(3))
    failing(bob, None, range(3), ("other",))
    Clustering.objects.update(attempted_at=timezone.now())

    with TestCase.captureOnCommitCallbacks(execute=True):
        changes.request_recount(alice)

    assert list(Clustering.objects.filter(attempted_at=None).values_list("user", flat=True)) == [alice.pk]
    assert [task.name() for task in OrmQ.objects.all()] == [changes.RECOUNT_JOB]
