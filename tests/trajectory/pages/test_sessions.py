"""The list of sessions and the page of one."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ghap.intake import receive as receive_entries
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body
from tests.support.rows.sent_calls import call, same
from tests.trajectory.browsing import browser
from tests.trajectory.silence import fall_silent
from trajectory.intake import About, receive
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
    page = browser(alice).get("/trajectory/?state=stuck", headers={"hx-request": "true"}).content.decode()
    assert "The same <code>Bash</code> call failed 3 times" in page
    assert "<html" not in page


def test_list_counts_sub_agents_apart_from_sessions_as_the_home_page_does(alice: User) -> None:
    for session, agent in (("s-1", ""), ("s-1", "helper"), ("s-2", "")):
        receive(alice, None, session, agent, [call(0)])
    client, pages = browser(alice), ("/trajectory/", "/trajectory/?state=main", "/")
    counted = [
        re.findall(r'class="(?:faint count|figure)">([^<]+)<', client.get(page).content.decode())[0] for page in pages
    ]
    assert counted == ["2 sessions and 1 sub-agent", "2 sessions", "2"]


def test_list_draws_the_strip_of_a_session_as_a_path_for_good_calls_and_one_for_failed(
    stuck: Trajectory, alice: User
) -> None:
    receive(alice, None, "calm", "", [call(0)])
    Trajectory.objects.create(user=alice, session_id="without calls")
    page = browser(alice).get("/trajectory/").content.decode()
    found = [
        re.findall(r'<path (class="failed" )?d="M', strip) for strip in re.findall(r'<td class="mini">(.*)</td>', page)
    ]
    assert sorted(found) == [[], [""], ["", 'class="failed" ']]


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
    page = browser(alice).get("/trajectory/").content.decode()
    assert page.count("The same <code>Bash</code> call failed 3 times") == 12


def test_session_needs_as_many_queries_for_forty_calls_as_for_four(stuck: Trajectory, alice: User) -> None:
    few = queries(alice, f"/trajectory/{stuck.pk}/")
    receive(alice, stuck.project, "s-1", "", [call(n, command=f"make {n}") for n in range(4, 40)])
    assert Trajectory.objects.get().calls_made == 40
    assert queries(alice, f"/trajectory/{stuck.pk}/") == few


def test_session_shows_its_findings_and_calls(stuck: Trajectory, alice: User) -> None:
    page = browser(alice).get(f"/trajectory/{stuck.pk}/").content.decode()
    for told in ("told at #4", "#2: Bash(command=make)", "and the agent was told", '<li class="call error" id='):
        assert told in page


def test_hostile_text_is_shown_not_run(alice: User) -> None:
    receive(alice, None, "<script>1</script>", "", [same(n, tool_name="<script>alert(1)</script>") for n in range(3)])
    page = browser(alice).get(f"/trajectory/{Trajectory.objects.get().pk}/").content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


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
    assert "no call came for half an hour" in page
    assert "until the session ended" in page
    assert ("Open findings" in page, "No open findings" in page) == (False, False)


def test_running_session_asks_for_news_and_gets_them_with_the_overview(stuck: Trajectory, alice: User) -> None:
    client, address = browser(alice), f"/trajectory/{stuck.pk}/"
    assert f'hx-get="?after={stuck.calls_made}"' in client.get(address).content.decode()
    htmx = {"hx-request": "true"}
    assert client.get(f"{address}?after={stuck.calls_made}", headers=htmx).status_code == 204

    receive(alice, stuck.project, "s-1", "", [call(90, tool_name="Newcomer")])
    news = client.get(f"{address}?after={stuck.calls_made}", headers=htmx).content.decode()

    assert (news.count('<li class="call '), "Newcomer" in news, "<h1>" in news) == (1, True, False)
    assert 'id="overview" hx-swap-oob="true"' in news
    assert f"?after={stuck.calls_made + 1}" in news


def test_session_that_ended_is_asked_no_more(stuck: Trajectory, alice: User) -> None:
    fall_silent(Trajectory.objects.all())
    page = browser(alice).get(f"/trajectory/{stuck.pk}/").content.decode()
    news = browser(alice).get(f"/trajectory/{stuck.pk}/?after=1", headers={"hx-request": "true"}).content.decode()

    assert ("every 5s" in page, "every 5s" in news, "Ended" in news) == (False, False, True)


def test_page_has_the_title_the_branch_and_what_came_out_of_it(alice: User, shared_project: Project) -> None:
    receive(alice, shared_project, "s-1", "", [call(1)], about=About("Fix the cart total", "fix/cart"))
    goal = "Find the cent"
    receive_entries(alice, shared_project, [body(goal=goal, agent_session="s-1")])

    page = browser(alice).get(f"/trajectory/{Trajectory.objects.get().pk}/").content.decode()

    assert "<h1>Fix the cart total</h1>" in page
    assert "<code>fix/cart</code>" in page
    assert page.count(goal) == 3  # the band's label and title, and the list


def test_states_narrow_the_list(stuck: Trajectory, alice: User) -> None:
    receive(alice, None, "s-2", "", [call(1)])
    receive(alice, None, "s-3", "", [call(1)])
    fall_silent(Trajectory.objects.filter(session_id="s-3"))

    def listed(query: str) -> set[str]:
        rows = browser(alice).get(f"/trajectory/{query}").context["sessions"]
        return {row.session_id for row, *_ in rows}

    assert (listed(""), listed("?state=running"), listed("?state=stuck"), listed("?worst=1")) == (
        {"s-1", "s-2", "s-3"},
        {"s-1", "s-2"},
        {"s-1"},
        {"s-1"},
    )
