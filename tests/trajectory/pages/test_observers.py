from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts.models import Project, User
from tests.trajectory.browsing import browser, form_of
from trajectory import configs


def queries(user: User, page: str) -> int:
    client = browser(user)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(page).status_code == 200
    return len(captured)


def test_observers_page_needs_as_many_queries_for_ten_projects_as_for_one(alice: User, shared_project: Project) -> None:
    few = queries(alice, "/trajectory/observers/")
    Project.objects.bulk_create([Project(owner=alice, key=f"p-{number}") for number in range(9)])
    assert queries(alice, "/trajectory/observers/") == few


def test_scope_of_another_is_not_found(alice: User, charlie: User, shared_project: Project) -> None:
    for scope in (f"project-{shared_project.pk}", f"team-{alice.teams.get().pk}", "x"):
        assert browser(charlie).get(f"/trajectory/observers/?scope={scope}").status_code == 404
        assert browser(charlie).post(f"/trajectory/observers/?scope={scope}", {}).status_code == 404


def test_lead_configures_the_teams_project_and_members_read_it(alice: User, bob: User, shared_project: Project) -> None:
    page = f"/trajectory/observers/?scope=project-{shared_project.pk}"
    entered = {name: value for name, value in form_of(alice).items() if not name.startswith("poll.")}
    answers = [browser(user).post(page, entered).status_code for user in (bob, alice)]

    assert answers == [403, 302]
    assert configs.effective(bob, shared_project.key).body["observers"]["poll"]["enabled"] is False
    assert "Only a lead of the team may change this." in browser(bob).get(page).content.decode()
    assert "Save as the next version" in browser(alice).get(page).content.decode()
