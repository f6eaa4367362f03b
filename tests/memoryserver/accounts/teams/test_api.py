"""The endpoint of the projects that a user sees."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from memoryserver.accounts.models import Project, User
from tests.support.rows.factories import ProjectFactory

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


def rename(client: Client, **body: object) -> tuple[int, object]:
    answer = client.post("/api/v1/projects/rename", body, content_type="application/json")
    return answer.status_code, answer.json().get("detail", answer.json())


def test_renamed_project_is_the_answer_and_a_refusal_says_why(
    api: Api, alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    old, new = shared_project.key, "github.com/store/shop"
    said = [rename(api(user), key=old, new_key=new) for user in (charlie, bob, alice, bob)]
    own = ProjectFactory(owner=bob, key="github.com/bob/shop")
    shown = rename(api(bob), key=own.key, new_key=new)

    renamed = {"key": new, "team": "crew"}
    assert said == [
        (404, f"you see no project '{old}'"),
        (403, f"only a lead of team crew may rename its project {old}"),
        (200, renamed | {"role": "lead"}),
        (200, renamed | {"role": "member"}),
    ]
    assert (shown[0], str(shown[1]).partition(";")[0]) == (
        409,
        f"the members of team crew would see what is in your private project {own.key}",
    )
    assert rename(api(bob), key=own.key, new_key=new, share_private=True) == (200, renamed | {"role": "member"})
    assert rename(api(bob), key=own.key, new_key=" ") == (422, "new_key: the project's new key is empty")
