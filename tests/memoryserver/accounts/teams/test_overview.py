"""What a user sees of teams and projects."""

from __future__ import annotations

import pytest

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.teams import overview
from memoryserver.accounts.teams.overview import ProjectView
from memoryserver.keyset import InvalidCursorError
from tests.support.rows.factories import ProjectFactory, TeamFactory, UserFactory


def test_team_has_its_members_leads_first_and_its_projects(alice: User, bob: User, shared_project: Project) -> None:
    TeamFactory(name="apes", people=[UserFactory(), alice])
    TeamFactory(name="strangers", people=[UserFactory()])
    first, second = overview.teams_of(alice)

    assert [(view.team.name, view.role, view.is_led) for view in (first, second)] == [
        ("apes", "member", False),
        ("crew", "lead", True),
    ]
    assert [(member.user, member.role) for member in second.members] == [(alice, "lead"), (bob, "member")]
    assert (list(first.projects), list(second.projects)) == ([], [shared_project])


def test_projects_have_their_team_and_the_users_role(bob: User, shared_project: Project) -> None:
    own = ProjectFactory(owner=bob, key="a/diary")
    ProjectFactory(owner=UserFactory())

    assert overview.projects_of(bob).projects == [
        ProjectView("a/diary", "", "owner"),
        ProjectView("github.com/crew/shop", "crew", "member"),
    ]
    assert overview.private_projects(bob) == [own]


def test_projects_go_on_after_the_cursor_and_a_wrong_one_is_an_error(alice: User) -> None:
    for number in range(3):
        ProjectFactory(owner=alice, key=f"p{number}")
    page = overview.projects_of(alice, limit=2)
    assert page.next_cursor is not None
    rest = overview.projects_of(alice, limit=2, cursor=page.next_cursor)

    assert [row.key for row in [*page.projects, *rest.projects]] == ["p0", "p1", "p2"]
    assert rest.next_cursor is None
    with pytest.raises(InvalidCursorError):
        overview.projects_of(alice, cursor="x")


def test_number_of_queries_does_not_grow_with_the_teams(alice: User, django_assert_num_queries: object) -> None:
    for _ in range(3):
        ProjectFactory(team=TeamFactory(people=[alice, UserFactory()]))
    with django_assert_num_queries(3):  # type: ignore[operator]
        overview.teams_of(alice)
