"""The home page: the steps of setting up before the first data, and then the figures of what a user may see."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from capture import sink
from capture.models import CaptureState
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.ops.models import CLUSTER, Heartbeat
from tests.capture.test_sink import capture, learning
from tests.support.rows.ghap_entries import body, lately
from tests.support.rows.sent_calls import call, same
from trajectory.intake import receive as receive_calls


def home(user: User, **query: Any) -> str:
    client = Client()
    client.force_login(user)
    answer = client.get("/", query)
    assert answer.status_code == 200
    return answer.content.decode()


def steps(page: str) -> list[str]:
    return re.findall(r'<li class="(done|open)">', page)


def test_user_without_data_sees_the_steps_alone(alice: User) -> None:
    page = home(alice)
    assert (steps(page), 'class="tiles"' in page) == (["open"] * 3, False)
    join = "curl -fsS http://testserver/join | sh"
    for command in (join, "memory ghap start --help", "memory capture scan &amp;&amp; memory sync"):
        assert command in page


def test_step_is_ticked_once_it_is_done_and_the_figures_come(alice: User) -> None:
    receive_calls(alice, None, "s-1", "", [call(1)])
    page = home(alice)
    assert (steps(page), 'class="tiles"' in page) == (["done", "open", "open"], True)


@pytest.fixture
def busy(alice: User, bob: User, shared_project: Project) -> None:
    receive_calls(alice, shared_project, "stuck-session", "", [call(0), *[same(n) for n in range(1, 7)]])
    receive(alice, shared_project, [lately()])
    sink.store(alice, shared_project, capture(learning(confidence=0.95)))


def test_mate_sees_what_happens_in_a_shared_project_and_a_stranger_does_not(
    busy: None, bob: User, charlie: User
) -> None:
    page = home(bob, days="90")
    assert (steps(page), "stuck-session" in page, "1 of 1 decided" in page) == ([], True, True)
    assert (steps(home(charlie)), "stuck-session" in home(charlie)) == (["open"] * 3, False)


def test_scope_narrows_to_a_project(busy: None, bob: User) -> None:
    Project.objects.create(owner=bob, key="github.com/crew/other")

    assert "stuck-session" in home(bob, project="github.com/crew/shop")
    assert "stuck-session" not in home(bob, project="github.com/crew/other")


def test_page_needs_as_many_queries_for_many_rows_as_for_few(busy: None, alice: User, shared_project: Project) -> None:
    def queries() -> int:
        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            home(alice)
        return len(captured)

    few = queries()
    for number in range(5):
        receive_calls(alice, shared_project, f"s-{number}", "", [call(0), *[same(n) for n in range(1, 7)]])
    receive(alice, shared_project, [body(id=f"ghap_20261120_1500{n:02d}_a1b2c3") for n in range(30)])
    assert queries() == few


def test_figures_are_kept_for_a_moment_while_stuck_sessions_and_health_are_as_of_now(
    busy: None, alice: User, shared_project: Project
) -> None:
    assert "1 of 1 decided" in home(alice, days="90")
    receive(alice, shared_project, [lately(id="ghap_20261120_150001_a1b2c3")])
    receive_calls(alice, shared_project, "stuck-later", "", [call(0), *[same(n) for n in range(1, 7)]])
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now())

    page = home(alice, days="90")
    assert ("1 of 1 decided" in page, "stuck-later" in page, "job cluster: seen" in page) == (True, True, True)
    assert "up to a minute old" in page
    cache.clear()
    assert "2 of 2 decided" in home(alice, days="90")


@pytest.mark.parametrize(
    "query", [{}, {"days": "90"}, {"days": "90", "project": "github.com/crew/shop", "team": "crew"}]
)
def test_link_of_a_figure_leads_to_as_many_rows(query: dict[str, str], busy: None, alice: User) -> None:
    receive_calls(alice, None, "s-2", "", [call(number) for number in range(3)])
    receive_calls(alice, None, "s-2", "agent-1", [call(7)])
    poor = lately() | {"id": "ghap_20260820_150000_a1b2c3"}
    receive(alice, None, [poor])
    Entry.objects.filter(ghap_id=poor["id"]).update(confidence_tier="bronze")
    CaptureState.objects.update(message_count=30, last_activity_at=timezone.now())
    cache.clear()
    page = home(alice, **query)
    client = Client()
    client.force_login(alice)

    tiles = re.findall(
        r'<h2><a href="([^"]+)">([^<]+)</a></h2>\s*<p class="figure">([^<]*)</p>\s*<p class="faint">([^<]*)', page
    )
    counts = {}
    for address, title, value, note in tiles:
        target = client.get(unescape(address)).content.decode()
        count = re.search(r'class="faint count">(\d+) |\d of (\d+) transcripts?; the target', target)
        figure = int(re.search(r"of (\d+)", note)[1]) if "%" in value else int(value)  # type: ignore[index]
        counts[unescape(title)] = (figure, int(count[1] or count[2]) if count else None)
    assert len(counts) == 4
    assert all(figure == rows for figure, rows in counts.values()), counts


def test_project_without_data_is_no_reason_for_first_steps(busy: None, alice: User) -> None:
    Project.objects.create(owner=alice, key="empty")
    assert steps(home(alice, project="empty")) == []


def test_person_without_a_team_is_told_why_nothing_is_shown(busy: None, charlie: User, bob: User) -> None:
    assert "You are in no team" in home(charlie)
    assert "You are in no team" not in home(bob)
