from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts.models import Project, User
from tests.support.sent_calls import call, same
from tests.trajectory.browsing import browser, form_of
from tests.trajectory.silence import fall_silent
from trajectory import configs
from trajectory.intake import receive
from trajectory.models import Trajectory


def test_nobody_is_sent_to_the_sign_in_page(db: None) -> None:
    pages = ("/trajectory/", "/trajectory/1/", "/trajectory/observers/")
    assert [browser(None).get(page).status_code for page in pages] == [302, 302, 302]


@pytest.mark.parametrize(("name", "status", "count"), [("alice", 200, 1), ("bob", 200, 1), ("charlie", 404, 0)])
def test_owner_and_mate_see_the_session_and_a_stranger_does_not(
    name: str, status: int, count: int, stuck: Trajectory, charlie: User
) -> None:
    client = browser(User.objects.get(username=name))
    assert client.get("/trajectory/").content.decode().count("s-1</a>") == count
    assert client.get(f"/trajectory/{stuck.pk}/").status_code == status


def test_list_names_the_worst_finding_and_htmx_gets_the_list_alone(stuck: Trajectory, alice: User) -> None:
    page = browser(alice).get("/trajectory/?worst=1", headers={"hx-request": "true"}).content.decode()
    assert "The same `Bash` call failed 3 times" in page
    assert "<html" not in page


def queries(user: User, page: str) -> int:
    client = browser(user)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(page).status_code == 200
    return len(captured)


def test_list_needs_as_many_queries_for_twelve_sessions_as_for_two(
    alice: User, bob: User, shared_project: Project
) -> None:
    def add(first: int, last: int) -> None:
        for number in range(first, last):
            owner = alice if number % 2 else bob
            receive(owner, shared_project, f"s-{number}", "", [call(0), *[same(n) for n in range(1, 4)]])

    add(0, 2)
    few = queries(alice, "/trajectory/")
    add(2, 12)
    assert queries(alice, "/trajectory/") == few
    assert browser(alice).get("/trajectory/").content.decode().count("The same `Bash` call failed 3 times") == 12


def test_session_needs_as_many_queries_for_forty_calls_as_for_four(stuck: Trajectory, alice: User) -> None:
    few = queries(alice, f"/trajectory/{stuck.pk}/")
    receive(alice, stuck.project, "s-1", "", [call(n, command=f"make {n}") for n in range(4, 40)])
    assert Trajectory.objects.get().calls_made == 40
    assert queries(alice, f"/trajectory/{stuck.pk}/") == few


def test_observers_page_needs_as_many_queries_for_ten_projects_as_for_one(alice: User, shared_project: Project) -> None:
    few = queries(alice, "/trajectory/observers/")
    Project.objects.bulk_create([Project(owner=alice, key=f"p-{number}") for number in range(9)])
    assert queries(alice, "/trajectory/observers/") == few


def test_session_shows_its_findings_and_calls(stuck: Trajectory, alice: User) -> None:
    page = browser(alice).get(f"/trajectory/{stuck.pk}/").content.decode()
    for told in ("told at #4", "#2: Bash(command=make)", "the agent was told", '<li class="call error" id='):
        assert told in page


def test_hostile_text_is_shown_not_run(alice: User) -> None:
    receive(alice, None, "<script>1</script>", "", [same(n, tool_name="<script>alert(1)</script>") for n in range(3)])
    page = browser(alice).get(f"/trajectory/{Trajectory.objects.get().pk}/").content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


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


def test_pages_have_neither_inline_script_nor_style(stuck: Trajectory, alice: User) -> None:
    for path in ("/trajectory/", f"/trajectory/{stuck.pk}/", "/trajectory/observers/"):
        page = browser(alice).get(path).content.decode()
        assert (" style=" in page, "<script>" in page) == (False, False)


def test_ended_session_is_shown_as_ended_with_its_findings(stuck: Trajectory, alice: User) -> None:
    fall_silent(Trajectory.objects.all())
    listed = browser(alice).get("/trajectory/").content.decode()
    assert (listed.count(">ended</span>"), listed.count("Open when it ended: Repeated Call")) == (1, 1)
    assert "s-1</a>" not in browser(alice).get("/trajectory/?worst=1").content.decode()
    page = browser(alice).get(f"/trajectory/{stuck.pk}/").content.decode()
    assert "no call came for an hour" in page
    assert "until the session ended" in page
    assert ("Open findings" in page, "No open findings" in page) == (False, False)


def test_link_to_a_call_shows_it_whatever_its_place(alice: User) -> None:
    receive(alice, None, "s-1", "", [call(n) for n in range(300)])
    address = f"/trajectory/{Trajectory.objects.get().pk}/"
    first, linked = (browser(alice).get(address + query).content.decode() for query in ("", "?at=50"))
    assert ('id="c50"' in first, 'id="c50"' in linked, 'id="c70"' in linked, 'id="c71"' in linked) == (
        *(False, True, True, False),
    )
    assert browser(alice).get(address + "?at=x").status_code == 200
