"""Owner, team mate, stranger, nobody: who sees which row."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.visibility import (
    changeable_among,
    changeable_rows,
    led_teams,
    managed_projects,
    own_rows,
    viewer,
    visible_people,
    visible_projects,
    visible_rows,
    visible_teams,
)
from memoryserver.vectors.models import Record
from tests.support.rows.factories import ProjectFactory, TeamFactory, UserFactory


def record(user: User, project: Project | None) -> Record:
    return Record.objects.create(
        user=user, project=project, collection="learnings", key="1", text="x", created_at=timezone.now()
    )


def seen_by(user: User | AnonymousUser) -> list[Record]:
    return list(visible_rows(Record.objects.all(), user))


def test_row_without_project_is_seen_by_its_owner_alone(alice: User, bob: User, charlie: User) -> None:
    row = record(alice, None)

    assert [seen_by(user) for user in (alice, bob, charlie, AnonymousUser())] == [[row], [], [], []]


def test_row_of_a_private_project_is_seen_by_its_owner_alone(alice: User, bob: User, charlie: User) -> None:
    row = record(alice, ProjectFactory(owner=alice))

    assert [seen_by(user) for user in (alice, bob, charlie, AnonymousUser())] == [[row], [], [], []]


def test_row_of_a_shared_project_is_seen_by_the_team(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    row = record(alice, shared_project)

    assert [seen_by(user) for user in (alice, bob, charlie, AnonymousUser())] == [[row], [row], [], []]


def test_row_of_a_mate_in_ones_own_shared_project_is_seen_by_both(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    row = record(bob, shared_project)

    assert [seen_by(user) for user in (alice, bob, charlie)] == [[row], [row], []]


def test_deactivated_owner_sees_nothing(alice: User) -> None:
    record(alice, None)
    alice.is_active = False

    assert seen_by(alice) == []


def test_own_rows_are_the_users_alone_in_a_shared_project_too(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    of_alice, of_bob = record(alice, shared_project), record(bob, shared_project)
    administrator = UserFactory(is_superuser=True, is_staff=True)

    users = (alice, bob, charlie, administrator, AnonymousUser())
    assert [list(own_rows(Record.objects.all(), user)) for user in users] == [[of_alice], [of_bob], [], [], []]


def test_deactivated_user_has_no_rows_of_their_own_and_no_projects(alice: User, shared_project: Project) -> None:
    record(alice, shared_project)
    alice.is_active = False

    assert list(own_rows(Record.objects.all(), alice)) == []
    assert list(visible_projects(alice)) == []


def test_administrator_sees_only_what_is_theirs_outside_the_admin(alice: User) -> None:
    record(alice, None)

    assert seen_by(UserFactory(is_superuser=True, is_staff=True)) == []


def test_row_of_a_team_mate_in_two_teams_of_mine_comes_once(alice: User, bob: User, shared_project: Project) -> None:
    TeamFactory(people=[alice, bob])
    row = record(alice, shared_project)

    assert seen_by(bob) == [row]


def test_mate_who_left_the_team_sees_nothing_more(alice: User, bob: User, shared_project: Project) -> None:
    record(alice, shared_project)
    bob.teams.clear()

    assert seen_by(bob) == []


def test_projects_seen_are_ones_own_and_the_teams(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    private = ProjectFactory(owner=alice)

    seen = [set(visible_projects(user)) for user in (alice, bob, charlie, AnonymousUser())]

    assert seen == [{private, shared_project}, {shared_project}, set(), set()]


def test_authors_and_leads_change_rows_and_other_members_do_not(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    of_alice, of_bob = record(alice, shared_project), record(bob, shared_project)
    record(charlie, shared_project)  # who has left the team
    private = record(UserFactory(), ProjectFactory(owner=charlie))

    users: list[User | AnonymousUser] = [alice, bob, charlie, AnonymousUser()]
    changeable = [set(changeable_rows(Record.objects.all(), user)) for user in users]

    of_charlie = Record.objects.get(user=charlie)
    assert changeable == [{of_alice, of_bob, of_charlie}, {of_bob}, {of_charlie, private}, set()]
    listed = list(Record.objects.all())
    for user, rows in zip(users, changeable, strict=True):
        assert changeable_among(listed, user) == {row.pk for row in rows}


def test_lead_manages_the_teams_projects_and_owners_their_private_ones(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    own = ProjectFactory(owner=bob, key=shared_project.key)
    crew = shared_project.team

    users = (alice, bob, charlie, AnonymousUser())
    assert [set(managed_projects(user)) for user in users] == [{shared_project}, {own}, set(), set()]
    assert [set(led_teams(user)) for user in users] == [{crew}, set(), set(), set()]
    assert [set(visible_teams(user)) for user in users] == [{crew}, {crew}, set(), set()]


def test_deactivated_lead_manages_nothing(alice: User, bob: User, shared_project: Project) -> None:
    record(alice, shared_project)
    alice.is_active = False

    assert list(changeable_rows(Record.objects.all(), alice)) == []
    assert changeable_among(list(Record.objects.all()), alice) == frozenset()
    found = [*managed_projects(alice), *led_teams(alice), *visible_teams(alice)]
    assert found == []


def test_people_are_the_user_and_their_mates_and_nobody_for_who_is_not_active(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    people = [set(visible_people(user)) for user in (alice, charlie, AnonymousUser())]
    alice.is_active = False

    assert people == [{alice, bob}, {charlie}, set()]
    assert list(visible_people(alice)) == []


def test_viewer_is_the_key_of_an_active_user_alone(alice: User, bob: User) -> None:
    bob.is_active = False

    assert [viewer(user) for user in (alice, bob, AnonymousUser())] == [alice.pk, None, None]
