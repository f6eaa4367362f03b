"""Who may see what is recorded: moved projects, members and roles, looks of administrators, observers, deletions."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from capture import curation, sink
from capture.deliveries import IncomingLearning
from memoryserver.accounts import deletion, memberships, renaming, sharing
from memoryserver.accounts.models import Membership, Project, Team, User
from obslog import audit
from obslog.models import Observation
from tests.support.rows.factories import ProjectFactory, TeamFactory
from trajectory import configs


@pytest.fixture
def crew(alice: User, bob: User) -> Team:
    """The team that Alice leads and Bob is in."""
    return alice.teams.get()


def recorded(team: Team) -> list[tuple[Any, ...]]:
    rows = audit.of_team(team).order_by("arrival")
    return [(row.user, row.type, row.message, row.data) for row in rows]


def test_move_and_merge_are_recorded_for_who_did_them(alice: User, bob: User, crew: Team) -> None:
    first, second = ProjectFactory(owner=alice, key="shop"), ProjectFactory(owner=bob, key="shop")
    sharing.move(first, crew, alice)
    sharing.move(second, crew, bob)

    place = {"project": first.pk, "team": crew.pk}
    assert recorded(crew) == [
        (
            alice,
            "project.moved",
            f"project {first.pk} was moved into team {crew.pk}",
            {**place, "from": f"user:{alice.pk}", "merged": None, "by": alice.pk},
        ),
        (
            bob,
            "project.merged",
            f"project {first.pk} was merged from project {second.pk} into team {crew.pk}",
            {**place, "from": f"user:{bob.pk}", "merged": second.pk, "by": bob.pk},
        ),
    ]


def test_both_teams_of_a_moved_project_find_it(alice: User, crew: Team, shared_project: Project) -> None:
    other = TeamFactory(people=[alice])
    sharing.move(shared_project, other, alice)
    assert [[row[1] for row in recorded(team)] for team in (crew, other)] == [["project.moved"]] * 2


def test_members_and_roles_are_recorded_for_whom_they_concern(
    alice: User, bob: User, charlie: User, crew: Team
) -> None:
    memberships.add(crew, charlie, alice)
    memberships.set_role(crew, bob, "lead", alice)
    memberships.remove(crew, charlie, bob)

    data = {"team": crew.pk}
    assert recorded(crew) == [
        (
            charlie,
            "membership.changed",
            f"user {charlie.pk} is now member in team {crew.pk}",
            data | {"user": charlie.pk, "role": "member", "by": alice.pk},
        ),
        (
            bob,
            "membership.changed",
            f"user {bob.pk} is now lead in team {crew.pk}",
            data | {"user": bob.pk, "role": "lead", "by": alice.pk},
        ),
        (
            charlie,
            "membership.ended",
            f"user {charlie.pk} is not a member any more in team {crew.pk}",
            data | {"user": charlie.pk, "role": "", "by": bob.pk},
        ),
    ]


def test_lead_that_the_server_appoints_is_recorded_without_a_person(alice: User, bob: User, crew: Team) -> None:
    deletion.delete(alice)
    assert [(user, kind, data["by"]) for user, kind, _, data in recorded(crew)] == [
        (alice, "membership.ended", None),
        (bob, "membership.changed", None),
    ]


def test_members_changed_in_the_admin_are_recorded(bob: User, charlie: User, crew: Team, admin_client: Client) -> None:
    rows = list(Membership.objects.filter(team=crew).order_by("pk"))
    form = {"name": "crew", "membership_set-TOTAL_FORMS": "3", "membership_set-INITIAL_FORMS": "2"}
    for number, (key, user, role) in enumerate(
        [(rows[0].pk, rows[0].user_id, "lead"), (rows[1].pk, bob.pk, "lead"), ("", charlie.pk, "member")]
    ):
        form |= {
            f"membership_set-{number}-{name}": str(value)
            for name, value in zip(("id", "team", "user", "role"), (key, crew.pk, user, role), strict=True)
        }
    answer = admin_client.post(reverse("admin:accounts_team_change", args=[crew.pk]), form)

    assert answer.status_code == 302
    assert {(user, data["role"]) for user, _, _, data in recorded(crew)} == {(bob, "lead"), (charlie, "member")}


def test_observers_and_deleted_learnings_of_the_team_are_recorded(
    alice: User, bob: User, crew: Team, shared_project: Project
) -> None:
    body = {"observers": {"poll": {"enabled": False}}}
    configs.change(crew, body, alice)
    configs.change(shared_project, body, alice)
    configs.change(bob, body, bob)
    learning, _ = sink.store_by_hand(bob, shared_project, IncomingLearning("gotcha", "Use pnpm here.", 1.0, 0))
    assert learning is not None
    curation.delete(bob, learning.pk)

    assert [(row[0], row[1]) for row in recorded(crew)] == [
        (alice, "observers.changed"),
        (alice, "observers.changed"),
        (bob, "capture.learning_deleted"),
    ]


def test_row_of_the_team_that_an_administrator_deletes_is_found_by_its_leads(
    alice: User, crew: Team, shared_project: Project, admin_client: Client
) -> None:
    private = ProjectFactory(owner=alice)
    for project in (shared_project, private):
        admin_client.post(reverse("admin:accounts_project_delete", args=[project.pk]), {"post": "yes"})

    assert [(kind, message) for _, kind, message, _ in recorded(crew)] == [
        ("admin.deleted", f"accounts.project {shared_project.pk} was deleted in the admin")
    ]


def test_look_at_anothers_private_row_is_in_their_log(alice: User, admin_client: Client) -> None:
    learning, _ = sink.store_by_hand(alice, None, IncomingLearning("gotcha", "The cache is cold.", 1.0, 0))
    assert learning is not None
    admin_client.get(reverse("admin:capture_learning_change", args=[learning.pk]))

    by = User.objects.get(username="admin").pk
    row = Observation.objects.get(type="admin.viewed")
    assert (row.user, row.source) == (alice, "system:admin")
    assert row.message == f"capture.learning {learning.pk} was viewed in the admin by user {by}"
    assert row.data == {"model": "capture.learning", "ids": [str(learning.pk)], "by": by}


def test_rename_is_recorded_for_who_did_it_and_its_team(alice: User, crew: Team, shared_project: Project) -> None:
    old, own = shared_project.key, ProjectFactory(owner=alice, key="github.com/new/shop")
    renaming.rename(old, own.key, alice, share=True)
    other = ProjectFactory(team=crew, key="github.com/third/shop")
    renaming.rename(own.key, other.key, alice)

    place = {"team": crew.pk, "by": alice.pk}
    assert [row[1:] for row in recorded(crew) if row[1] == "project.renamed"] == [
        (
            "project.renamed",
            f"project {shared_project.pk} has another key",
            {**place, "project": shared_project.pk, "from": old, "merged": None},
        ),
        (
            "project.renamed",
            f"project {other.pk} has another key, and project {shared_project.pk} was merged into it",
            {**place, "project": other.pk, "from": own.key, "merged": shared_project.pk},
        ),
    ]
    assert {row[0] for row in recorded(crew)} == {alice}


def test_rename_of_a_private_project_is_no_teams_business(alice: User, crew: Team) -> None:
    own = ProjectFactory(owner=alice, key="github.com/old/shop")
    renaming.rename(own.key, "github.com/new/shop", alice)

    assert recorded(crew) == []
    row = Observation.objects.get(type="project.renamed")
    data = {"project": own.pk, "team": None, "from": "github.com/old/shop", "merged": None, "by": alice.pk}
    assert (row.user, row.data) == (alice, data)
