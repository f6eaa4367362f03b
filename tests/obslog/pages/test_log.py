"""The log's pages: the user's own observations, their filters, copies as text, and what arrives while one looks."""

from __future__ import annotations

import re
import uuid
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts.models import Project, User
from obslog import log
from obslog.emit import emit
from obslog.models import Observation
from obslog.pages.log import MAX_PROJECTS
from tests.support.rows.observations import MOMENT, new

HTMX = {"hx-request": "true"}


def show(user: User, path: str = "/log/", *, htmx: bool = False, **query: Any) -> tuple[int, str]:
    client = Client(headers=HTMX if htmx else {})
    client.force_login(user)
    answer = client.get(path, query)
    return answer.status_code, answer.content.decode()


def messages(page: str) -> list[str]:
    return re.findall(r'<(?:p|summary) class="text">(m\d+)</', page)


@pytest.fixture
def some(alice: User, bob: User) -> None:
    described: list[dict[str, Any]] = [
        {"type": "task.updated", "source": "agent:abc", "scope_ids": ["t-1"], "details": "whole", "data": {"n": 1}},
        {"type": "task.done", "source": "agent:xyz", "scope_ids": ["t-1", "t-2"]},
        {"type": "ghap.resolved", "source": "cli:abc"},
    ]
    for number, fields in enumerate(described):
        log.append(alice, new(message=f"m{number}", created_at=MOMENT + number, **fields))
    log.append(bob, new(message="m9"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["m2", "m1", "m0"]),
        ({"type": "task.done"}, ["m1"]),
        ({"source": "agent:"}, ["m1", "m0"]),
        ({"scope": "t-2, t-1"}, ["m1", "m0"]),
        ({"since": "2023-11-14T22:13:20.001"}, ["m2", "m1"]),
        ({"before": "2023-11-14T22:13:20.001"}, ["m0"]),
        ({"type": "a\x00"}, []),
    ],
)
def test_newest_matching_observation_of_the_user_comes_first(
    query: dict[str, Any], expected: list[str], some: None, alice: User
) -> None:
    status, page = show(alice, **query)
    assert (status, messages(page)) == (200, expected)


@pytest.mark.parametrize(
    ("query", "words"),
    [({"since": "whenever"}, "since: "), ({"cursor": "odd"}, "cursor is invalid"), ({"scope": "x" * 201}, "scope id")],
)
def test_odd_filter_says_what_is_wrong(query: dict[str, Any], words: str, some: None, alice: User) -> None:
    status, page = show(alice, **query)
    assert (status, words in page) == (422, True)


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("short", "[2023-11-14T22:13:20.000Z] [task.updated] m0"),
        ("full", '[2023-11-14T22:13:20.000Z] [task.updated] source=agent:abc\nm0\nwhole\n{"n": 1}'),
        ("json", '{"n": 1}'),
    ],
)
def test_list_and_observation_are_text_to_be_copied(mode: str, text: str, some: None, alice: User) -> None:
    key = Observation.objects.get(message="m0").pk
    assert show(alice, type="task.updated", format=mode) == (200, text)
    assert show(alice, f"/log/{key}/", format=mode) == (200, text)


def test_tail_has_what_arrived_since_and_where_to_go_on(some: None, alice: User) -> None:
    page = show(alice, live="1", source="agent:")[1]
    cursor = re.search(r"tail=([^&\"]+)", page)
    assert cursor is not None
    log.append(alice, new(message="m5", source="agent:new"))
    log.append(alice, new(message="m6", source="cli:new"))
    answer = show(alice, htmx=True, live="1", source="agent:", tail=cursor[1])[1]
    again = re.search(r"tail=([^&\"]+)", answer)
    assert again is not None
    assert (messages(answer), messages(show(alice, htmx=True, source="agent:", tail=again[1])[1])) == (["m5"], [])


def test_page_without_live_asks_for_no_tail(some: None, alice: User) -> None:
    assert "tail=" not in show(alice)[1]


def test_observation_has_a_page_of_its_own_for_its_user_alone(some: None, alice: User, bob: User) -> None:
    key = Observation.objects.get(message="m0").pk
    page = show(alice, f"/log/{key}/")[1]
    for words in ("<h1>m0</h1>", "agent:abc", "t-1", "whole", "&quot;n&quot;: 1"):
        assert words in page
    assert [show(user, f"/log/{of}/")[0] for user, of in ((bob, key), (alice, uuid.UUID(int=7)))] == [404, 404]


def test_observation_of_the_server_has_whole_scope_ids_and_the_names_of_those_that_have_one(
    alice: User, shared_project: Project
) -> None:
    session = "9b8669e7-ebb7-4b06-9df6-d6bb62ba17b7"
    emit(alice, type="t.u", source="system:test", message="m", scope_ids=[session], project=shared_project.pk)
    page = show(alice, f"/log/{Observation.objects.get().pk}/")[1]
    scopes = re.search(r"<dt>Scope ids</dt><dd>(.*?)</dd>", page)
    assert scopes is not None
    shown = re.sub(r"<[^>]*>", "", scopes[1])
    assert shown == f"{session}, project:{shared_project.pk} (project shop)"


def test_page_needs_as_many_queries_for_thirty_observations_as_for_one(alice: User) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert show(alice)[0] == 200
        return len(captured)

    log.append(alice, new(scope_ids=["t-1"]))
    few = queries()
    log.append_all(alice, [new(message=f"m{n}", scope_ids=["t-1", "t-2"]) for n in range(29)])
    assert queries() == few


def test_text_of_an_observation_is_no_markup(alice: User) -> None:
    log.append(alice, new(message="<script>1</script>", details="<b>", data={"x": "</pre><i>"}))
    page = show(alice)[1]
    assert ["<script>1" in page, "<b>" in page, "<i>" in page] == [False, False, False]


def test_bar_leads_to_its_part_of_the_period(some: None, alice: User) -> None:
    page = show(alice, since="2023-11-14T22:13:20", before="2023-11-14T22:13:21")[1]
    links = re.findall(r'<a href="(\?[^"]+)" aria-label="(\d+) from', page)
    assert [count for _, count in links] == ["3"]
    narrowed = show(alice, "/log/" + unescape(links[0][0]))[1]
    assert messages(narrowed) == ["m2", "m1", "m0"]


def test_types_are_a_tree_of_choices(some: None, alice: User) -> None:
    page = show(alice, type="task.done")[1]
    assert re.findall(r'name="type" value="([^"]*)" (checked)?', page) == [
        ("", ""),
        ("ghap.resolved", ""),
        ("task.done", "checked"),
        ("task.updated", ""),
        ("user.signed_in", ""),
    ]
    assert [bool(state) for state in re.findall(r"<details (open)?>\s*<summary>\w+ <", page)] == [False, True, False]


def test_log_is_of_the_project_and_team_of_its_scope(alice: User, shared_project: Project) -> None:
    other = Project.objects.create(owner=alice, key="scratch")
    log.append(alice, new(message="m0", scope_ids=[shared_project.key, "t-1"]))
    emit(alice, type="task.done", source="system:test", message="m1", project=shared_project.pk)
    emit(alice, type="task.done", source="system:test", message="m2", project=other.pk)
    log.append(alice, new(message="m3"))

    def found(**query: Any) -> set[str]:
        return set(messages(show(alice, **query)[1]))

    assert found() == {"m0", "m1", "m2", "m3"}
    assert found(project=shared_project.key) == {"m0", "m1"}
    assert found(team="crew") == {"m0", "m1"}
    assert found(project="scratch") == {"m2"}
    assert found(project=shared_project.key, scope="t-1") == {"m0"}
    assert found(project=shared_project.key, type="task.done") == {"m1"}
    assert found(project="scratch", scope="t-1") == set()


def test_log_is_of_the_period_of_its_scope_unless_a_beginning_is_given(some: None, alice: User) -> None:
    emit(alice, type="task.done", source="system:test", message="m7")
    assert messages(show(alice, days="7")[1]) == ["m7"]
    assert messages(show(alice, days="7", since="2023-01-01")[1]) == ["m7", "m2", "m1", "m0"]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"source": "agent:"}, "2 observations"),
        ({"type": "task.done"}, "1 observation"),
        ({"scope": "t-1,t-2"}, "2 observations"),
    ],
)
def test_page_says_how_many_there_are(query: dict[str, Any], count: str, some: None, alice: User) -> None:
    assert f'<span class="count">{count}.</span>' in show(alice, **query)[1]


def test_team_with_too_many_projects_is_told_to_choose_one(alice: User, shared_project: Project) -> None:
    Project.objects.bulk_create(
        Project(team=shared_project.team, key=f"p-{number}") for number in range(MAX_PROJECTS + 1)
    )
    status, page = show(alice, team="crew")
    assert (status, f"the team has more than {MAX_PROJECTS} projects; choose one of them" in page) == (422, True)
