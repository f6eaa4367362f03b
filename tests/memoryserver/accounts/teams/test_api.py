"""The endpoint of the projects that a user sees."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from memoryserver.accounts.models import Project, User
from tests.support.factories import ProjectFactory

Api = Callable[[User | None], Client]
SHARED = {"key": "github.com/crew/shop", "team": "crew"}


def test_each_sees_private_and_team_projects_with_their_role(
    api: Api, alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    ProjectFactory(owner=bob, key=shared_project.key)
    found = [api(user).get("/api/v1/projects").json() for user in (alice, bob, charlie)]

    own = {"key": shared_project.key, "team": "", "role": "owner"}
    assert [answer["projects"] for answer in found] == [
        [SHARED | {"role": "lead"}],
        [SHARED | {"role": "member"}, own],
        [],
    ]


def test_wrong_cursor_is_a_problem(api: Api, alice: User) -> None:
    answer = api(alice).get("/api/v1/projects", {"cursor": "x"})
    assert (answer.status_code, answer.json()["detail"].partition(";")[0]) == (422, "cursor: invalid")
