"""Owner, team mate, stranger, nobody: who sees which row."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.visibility import own_rows, visible_projects, visible_rows
from memoryserver.vectors.models import Record
from tests.support.factories import ProjectFactory, TeamFactory, UserFactory


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


def test_row_of_a_project_shared_by_two_teams_of_mine_comes_once(
    alice: User, bob: User, shared_project: Project
) -> None:
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
