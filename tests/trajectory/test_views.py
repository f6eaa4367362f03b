from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts.models import Project, User
from tests.trajectory.sent import call, same
from trajectory import configs
from trajectory.intake import receive
from trajectory.local.config import registry
from trajectory.models import ObserverConfig, Trajectory


def browser(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


@pytest.fixture
def stuck(alice: User, shared_project: Project) -> Trajectory:
    receive(alice, shared_project, "s-1", "", [call(0), *[same(n) for n in range(1, 4)]])
    return Trajectory.objects.get()


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
    assert "The same `Bash` call was made 3 times" in page
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
    assert browser(alice).get("/trajectory/").content.decode().count("The same `Bash` call was made 3 times") == 12


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
    for told in ("told at #4", "#2: Bash(command=make)", "the agent was told", '<li class="call error">'):
        assert told in page


def test_hostile_text_is_shown_not_run(alice: User) -> None:
    receive(alice, None, "<script>1</script>", "", [same(n, tool_name="<script>alert(1)</script>") for n in range(3)])
    page = browser(alice).get(f"/trajectory/{Trajectory.objects.get().pk}/").content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def form_of(user: User) -> dict[str, Any]:
    """What the form holds when it is opened."""
    page = browser(user).get("/trajectory/observers/")
    fields = {bound.html_name: bound.value() for bound in page.context["form"]}
    return {name: value for name, value in fields.items() if value not in (None, False)}


def test_form_that_is_sent_as_it_was_opened_says_nothing(alice: User) -> None:
    answer = browser(alice).post("/trajectory/observers/", form_of(alice))
    assert (answer.status_code, ObserverConfig.objects.get().body) == (302, {"observers": {}})


def test_form_keeps_what_differs_as_the_next_version(alice: User) -> None:
    entered = form_of(alice) | {"repeat_call.settings.repetition_threshold": "5", "pace.enabled": "on"}
    entered |= {"pace.settings.calls": "300"}
    del entered["poll.enabled"]
    browser(alice).post("/trajectory/observers/", entered)
    assert configs.effective(alice, None).body == {
        "observers": {
            "repeat_call": {"settings": {"repetition_threshold": 5}},
            "poll": {"enabled": False},
            "pace": {"settings": {"calls": 300}},
        }
    }
    page = browser(alice).get("/trajectory/observers/").content.decode()
    assert "now version 1 by alice" in page


@pytest.mark.parametrize("bad", ["0", "-2", "many"])
def test_form_refuses_thresholds_that_are_no_positive_numbers(alice: User, bad: str) -> None:
    entered = form_of(alice) | {"repeat_call.settings.repetition_threshold": bad}
    answer = browser(alice).post("/trajectory/observers/", entered)
    assert (answer.status_code, ObserverConfig.objects.count()) == (422, 0)


def test_scope_of_another_is_not_found(alice: User, charlie: User, shared_project: Project) -> None:
    for scope in (f"project-{shared_project.pk}", f"team-{alice.teams.get().pk}", "x"):
        assert browser(charlie).get(f"/trajectory/observers/?scope={scope}").status_code == 404
        assert browser(charlie).post(f"/trajectory/observers/?scope={scope}", {}).status_code == 404


def test_member_configures_the_shared_project(bob: User, shared_project: Project) -> None:
    page = f"/trajectory/observers/?scope=project-{shared_project.pk}"
    browser(bob).post(page, {name: value for name, value in form_of(bob).items() if not name.startswith("poll.")})
    assert configs.effective(bob, shared_project).body["observers"]["poll"]["enabled"] is False


def test_pages_have_neither_inline_script_nor_style(stuck: Trajectory, alice: User) -> None:
    for path in ("/trajectory/", f"/trajectory/{stuck.pk}/", "/trajectory/observers/"):
        page = browser(alice).get(path).content.decode()
        assert (" style=" in page, "<script>" in page) == (False, False)


def test_every_kind_has_its_place_in_the_form(alice: User) -> None:
    page = browser(alice).get("/trajectory/observers/")
    assert [row.kind for row in page.context["form"].rows()] == list(registry.KINDS)


def test_admin_keeps_an_edited_configuration_as_a_new_version(alice: User) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    client = browser(alice)
    for body in ('{"observers": {}}', '{"observers": {"poll": {"enabled": false}}}'):
        sent = {"user": alice.pk, "team": "", "project": "", "body": body}
        assert client.post("/admin/trajectory/observerconfig/add/", sent).status_code == 302
    first = ObserverConfig.objects.order_by("version").first()
    assert first
    sent = {"user": alice.pk, "team": "", "project": "", "body": '{"observers": {"cycle": {"enabled": false}}}'}
    client.post(f"/admin/trajectory/observerconfig/{first.pk}/change/", sent)
    assert [row.version for row in ObserverConfig.objects.order_by("version")] == [1, 2, 3]
    refused = client.post("/admin/trajectory/observerconfig/add/", sent | {"body": '{"observers": {"no": {}}}'})
    assert "there is no observer" in refused.content.decode()


@pytest.mark.parametrize("model", ["trajectory", "toolcall", "assessmentrecord", "observerconfig"])
def test_admin_lists_open(alice: User, stuck: Trajectory, model: str) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    assert browser(alice).get(f"/admin/trajectory/{model}/").status_code == 200
