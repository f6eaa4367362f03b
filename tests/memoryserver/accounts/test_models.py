"""The rules that the database itself keeps."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, Membership, Project, Team, User
from memoryserver.vectors.models import Record
from tests.support.rows.factories import ProjectFactory, TeamFactory


def test_person_is_in_a_team_once(alice: User) -> None:
    team = TeamFactory(name="crew", people=[alice])

    with pytest.raises(IntegrityError, match="membership_once"), transaction.atomic():
        Membership.objects.create(team=team, user=alice)

    assert [str(membership) for membership in Membership.objects.all()] == [f"user {alice.pk} in crew"]


def test_names_of_teams_are_unique(db: None) -> None:
    TeamFactory(name="crew")

    with pytest.raises(IntegrityError, match="name"), transaction.atomic():
        TeamFactory(name="crew")


def test_key_of_a_project_is_unique_for_its_owner_alone(alice: User, bob: User) -> None:
    for owner in (alice, bob):
        ProjectFactory(owner=owner, key="shop")

    with pytest.raises(IntegrityError, match="project_key_once_per_owner"), transaction.atomic():
        ProjectFactory(owner=alice, key="shop")

    assert Project.objects.filter(key="shop").count() == 2


def test_team_with_projects_cannot_be_deleted(shared_project: Project) -> None:
    with pytest.raises(ProtectedError):
        Team.objects.get(name="crew").delete()

    shared_project.delete()
    Team.objects.get(name="crew").delete()
    assert (Team.objects.count(), User.objects.count()) == (0, 2)


def test_key_of_a_project_is_unique_for_its_team(alice: User, shared_project: Project) -> None:
    ProjectFactory(owner=alice, key=shared_project.key)
    ProjectFactory(team=TeamFactory(), key=shared_project.key)

    with pytest.raises(IntegrityError, match="project_key_once_per_team"), transaction.atomic():
        ProjectFactory(team=shared_project.team, key=shared_project.key)


@pytest.mark.parametrize("has", ["both", "neither"])
def test_project_has_a_team_or_an_owner(alice: User, shared_project: Project, has: str) -> None:
    team, owner = (shared_project.team, alice) if has == "both" else (None, None)

    with pytest.raises(IntegrityError, match="project_team_or_owner"), transaction.atomic():
        Project.objects.create(key="shop", team=team, owner=owner)


def test_role_is_lead_or_member(alice: User) -> None:
    with pytest.raises(IntegrityError, match="membership_role_known"), transaction.atomic():
        Membership.objects.create(team=TeamFactory(), user=alice, role="king")

    assert Membership(user=alice).role == "member"


def test_rows_of_a_deleted_project_stay_with_their_user(alice: User, shared_project: Project) -> None:
    row = Record.objects.create(
        user=alice, project=shared_project, collection="learnings", key="1", text="x", created_at=timezone.now()
    )

    shared_project.delete()

    row.refresh_from_db()
    assert (row.user, row.project) == (alice, None)


def test_user_is_deleted_with_their_tokens_projects_and_rows(alice: User, bob: User) -> None:
    ProjectFactory(owner=alice)
    ApiToken.objects.create(scopes=["read"], user=alice, name="laptop", prefix="msv_abcdef", digest="0" * 64)
    Record.objects.create(user=alice, collection="learnings", key="1", text="x", created_at=timezone.now())

    alice.delete()

    assert [model.objects.count() for model in (ApiToken, Project, Record)] == [0, 0, 0]
    assert list(User.objects.all()) == [bob]


def test_user_whom_the_log_names_cannot_be_deleted(alice: User) -> None:
    tokens.issue(alice, "laptop")

    with pytest.raises(ProtectedError, match="Observation"):
        alice.delete()

    assert ApiToken.objects.get().user == alice


def test_token_is_shown_by_its_name_and_first_characters(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")

    assert str(token) == f"laptop ({text[:10]}…)"
