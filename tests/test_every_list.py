"""Every list of the site, the admin and the API goes on: page size + 1 rows, and the last is reached by its links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from capture import learnings as learning_queries
from capture.models import Learning
from capture.pages import learnings as capture_views
from capture.review import views as review_views
from ghap.models import Cluster, Failure
from ghap.pages import entries as entry_views
from ghap.pages import failures as failure_views
from ghap.recurring import queries as failure_queries
from memoryserver.access import sign_in_urls
from memoryserver.access import views as access_views
from memoryserver.accounts.models import Team, User
from memoryserver.api import api as ninja_api
from memoryserver.inquiries import views as inquiry_views
from memoryserver.search import views as search_views
from obslog import admin as log_admin
from obslog import log
from obslog.models import Observation
from obslog.pages import audit as audit_views
from obslog.pages import log as log_views
from tests.support.rows import many_rows
from tests.support.rows.factories import UserFactory
from trajectory import api as trajectory_api
from trajectory.models import Trajectory
from trajectory.pages import calls as call_pages
from trajectory.pages import sessions as session_pages

Api = Callable[[User | None], Client]
Make = Callable[[User, int], Sequence[Model]]


def found_learnings(user: User, count: int) -> Sequence[Model]:
    """Learnings that a search for `learned` finds."""
    from capture.documents import stage

    rows = [row for row in many_rows.learnings(user, count) if isinstance(row, Learning)]
    stage(user, None, rows)
    return rows


# The name of the page, the query that narrows it, its rows, its page size, and what is shown of each row.
SITE: dict[str, list[tuple[str, str, Make, int, str]]] = {
    "search": [("search", "?q=learned", found_learnings, search_views.PAGE, "learned")],
    "learnings": [("learnings", "", many_rows.learnings, capture_views.PAGE, "learned")],
    "contradictions": [("contradictions", "", many_rows.contradictions, review_views.PAGE, "later")],
    "learning": [("learning", "", many_rows.sources, learning_queries.MAX_SOURCES, "source")],
    "laptops": [("laptops", "", many_rows.laptops, access_views.SHOWN_LAPTOPS, "laptop")],
    "trajectory": [("trajectory", "", many_rows.sessions, session_pages.PAGE, "session")],
    "trajectory-session": [
        ("trajectory-session", "", many_rows.calls, call_pages.PAGE, "tool"),
        ("trajectory-session", "", many_rows.findings, session_pages.SHOWN_FINDINGS, "finding"),
    ],
    "log": [("log", "?type=task.updated", many_rows.observations, log_views.PAGE, "observation")],
    "ghap-entries": [
        ("ghap-entries", "", many_rows.entries, entry_views.PAGE, "goal"),
        ("ghap-entries", "?outcome=open", many_rows.open_entries, entry_views.PAGE, "goal"),
    ],
    "inquiries": [("inquiries", "", many_rows.inquiries, inquiry_views.PAGE, "inquiry")],
    "team-audit": [("team-audit", "", many_rows.team_changes, audit_views.PAGE, "project")],
    "ghap-failures": [("ghap-failures", "", many_rows.failures, failure_views.PAGE, "failure")],
    "ghap-failure": [("ghap-failure", "", many_rows.members_of_a_failure, failure_queries.MAX_MEMBERS, "goal")],
}
NO_LISTS_OF_THE_SITE = {
    *(None, "healthz", "readyz", "metrics", "join", "join-powershell", "client-facts", "client-file"),
    *("profile", "profile-name", "profile-time-zone", "tokens", "token-revoke", "device"),  # a user has a few tokens
    *("invitations", "invitation-withdraw", "invitation"),  # they expire after a week
    *("learning-change", "learning-delete", "learning-separate", "learning-restore", "contradiction-decide"),
    *("operations", "operations-run", "operations-embed"),  # shows the latest and the worst; the admin has all
    "search-near-equal",  # shows the results that one result stands for
    "ghap-clusters",  # leads to the failures
    *("learning-review", "learning-review-decide", "learning-review-undo"),  # one after the other
    *("ghap-failure-change", "ghap-failure-recount", "ghap-quality", "digest-choose", "digest-unsubscribe"),
    *(
        "ghap-entry",
        "ghap-open-entry",
        "log-observation",
        "trajectory-observers",
        "trajectory-observers-preview",
    ),  # show all of one row
    *("home", "ghap-similar"),  # show a few of each kind; others have the list
    *("team-member-add", "team-member", "project-move", "export", "export-project"),
    "teams",  # shows all members and projects of the user's teams
    *("ghap-strategies", "capture", "context"),  # show a row for each value of a fixed set, or a whole table
}
MODEL_OF: dict[str, type[Model]] = {
    "team-audit": Team,
    "learning": Learning,
    "trajectory-session": Trajectory,
    "ghap-failure": Failure,
}

# The path, the name of its list in the response, the rows, its page size, and the text of a row.
API: list[tuple[str, str, Make, int, Callable[[dict[str, Any]], str]]] = [
    ("/learnings", "learnings", many_rows.learnings, 50, lambda row: row["content"]),
    ("/learnings/{key}/sources", "sources", many_rows.sources, 100, lambda row: row["message_uuid"]),
    ("/learnings/{key}/uses", "uses", many_rows.uses, 20, lambda row: row["asked"]),
    ("/contradictions", "contradictions", many_rows.contradictions, 30, lambda row: row["later"]["content"]),
    ("/trajectory/sessions", "sessions", many_rows.sessions, 50, lambda row: row["session_id"]),
    (
        "/trajectory/sessions/{session_id}/assessment",
        "findings",
        many_rows.findings,
        trajectory_api.FINDINGS_LIMIT,
        lambda row: row["summary"],
    ),
    ("/observations", "observations", many_rows.observations, log.QUERY_LIMIT, lambda row: row["message"]),
    ("/projects", "projects", many_rows.projects, 100, lambda row: row["key"]),
    ("/ghap/entries", "entries", many_rows.entries, 50, lambda row: row["goal"]),
    ("/ghap/entries?status=open", "entries", many_rows.open_entries, 50, lambda row: row["goal"]),
    ("/ghap/failures", "failures", many_rows.failures, 20, lambda row: row["name"]),
    ("/ghap/failures/{key}/entries", "entries", many_rows.members_of_a_failure, 20, lambda row: row["goal"]),
    ("/ghap/clusters", "clusters", many_rows.clusters, 20, lambda row: row["terms"][0]),
    ("/ghap/clusters/{key}/members", "members", many_rows.members, 200, lambda row: row["goal"]),
    ("/search", "hits", found_learnings, 10, lambda row: row["title"] or row["text"]),
]
NO_LISTS_OF_THE_API = {
    *("/whoami", "/lookup", "/context", "/context/explanation", "/capture/metrics", "/trajectory/configuration"),
    "/export",  # streams everything
    "/ghap/entries/{ghap_id}",
    "/ghap/failures/{key}",  # its entries go on at /ghap/failures/{key}/entries
    "/learnings/{key}",  # its sources go on at /learnings/{key}/sources
    *("/memory", "/memory/{source}/{key}"),  # the documents that were requested
    "/timeline",  # goes on by the id of its first or last event
    "/observations/recent",  # goes on at /observations
    "/ghap/strategies",  # a row for each strategy of a fixed set
}
LABELS = sorted(model._meta.label for model in admin.site._registry)


def patterns(resolver: Any, prefix: str = "") -> Iterator[URLPattern]:
    for pattern in resolver.url_patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield pattern
        elif not address.startswith(("admin/", "api/")) and pattern.urlconf_name is not sign_in_urls:
            yield from patterns(pattern, address)


def texts(html: str, what: str) -> list[str]:
    """Each `what-N.` that is shown, with or without marked words, in order of its first appearance."""
    return list(dict.fromkeys(re.findall(rf"{what}-\d+\.", re.sub("</?mark>", "", html))))


def follow(client: Client, address: str) -> str:
    """Load the page, then what htmx loads by the links of `More`, until there is none."""
    html = client.get(address).content.decode()
    pending, seen = more_links(html), set()
    while pending:
        link = pending.pop()
        assert link not in seen, "the list goes round"
        seen.add(link)
        path = address.partition("?")[0] + link if link.startswith("?") else link
        fragment = client.get(path, headers={"HX-Request": "true"}).content.decode()
        assert "<html" not in fragment
        html += fragment
        pending += more_links(fragment)
    return html


def more_links(html: str) -> list[str]:
    return [
        unescape(link)
        for link in re.findall(r'class="more">\s*(?:<td[^>]*>\s*)?<a href="[^"]*"\s+hx-get="([^"]*)"', html)
    ]


def test_every_page_is_known_to_be_a_list_or_none() -> None:
    assert {pattern.name for pattern in patterns(get_resolver())} == NO_LISTS_OF_THE_SITE | SITE.keys()


@pytest.mark.parametrize(
    ("name", "query", "make", "size", "what"),
    [way for ways in SITE.values() for way in ways],
    ids=[f"{name}-{way[4]}" for name, ways in SITE.items() for way in ways],
)
def test_list_of_the_site_goes_on_to_its_last_row(
    name: str, query: str, make: Make, size: int, what: str, alice: User
) -> None:
    client = Client()
    client.force_login(alice)
    count = 2 * size + 1
    make(alice, count)
    key = MODEL_OF[name]._default_manager.get().pk if name in MODEL_OF else None
    address = reverse(name, args=[] if key is None else [key]) + query

    first_page = texts(client.get(address).content.decode(), what)
    everything = texts(follow(client, address), what)

    first = 1 if make is many_rows.calls else 0
    assert sorted(everything) == sorted(f"{what}-{number}." for number in range(first, first + count))
    assert len(first_page) == size
    assert everything[:size] == first_page


@pytest.mark.parametrize("name", ["trajectory", "trajectory-session"])
def test_page_after_a_cursor_opens_without_htmx(name: str, alice: User) -> None:
    ((_, _, make, size, what), *_) = SITE[name]
    make(alice, size + 1)
    client = Client()
    client.force_login(alice)
    address = reverse(name, args=[Trajectory.objects.get().pk] if name in MODEL_OF else [])
    (link,) = more_links(client.get(address).content.decode())

    page = client.get(address + link).content.decode()
    assert (len(texts(page, what)), "<html" in page) == (1, True)


def test_every_get_of_the_api_is_known_to_be_a_list_or_none() -> None:
    paths = ninja_api.get_openapi_schema()["paths"]
    gets = {path.removeprefix("/api/v1") for path, item in paths.items() if "get" in item}

    assert gets == NO_LISTS_OF_THE_API | {path.partition("?")[0] for path, *_ in API}


@pytest.mark.parametrize(("path", "name", "make", "size", "text"), API, ids=[path for path, *_ in API])
def test_list_of_the_api_goes_on_to_its_last_row(
    path: str, name: str, make: Make, size: int, text: Callable[[dict[str, Any]], str], api: Api, alice: User
) -> None:
    client, count = api(alice), 2 * size + 1
    path, _, query = path.partition("?")
    made = make(alice, count)
    model: type[Model] = Learning if "learnings" in path else Failure if "failures" in path else Cluster
    address = path.replace("{session_id}", "session-0.")
    if "{key}" in address:
        address = address.replace("{key}", str(model._default_manager.get().pk))

    shown: list[str] = []
    params = dict(parse_qsl(query))
    params |= {"q": "learned"} if path == "/search" else {"type": "task.updated"} if path == "/observations" else {}
    while True:
        answer = client.get(f"/api/v1{address}", params).json()
        shown += [text(row) for row in answer[name]]
        following = answer.get("next_cursor") or (answer["cursor"] if answer.get("more") else None)
        if following is not None:
            params["cursor"] = following
        elif answer.get("next_offset") is not None:
            params["offset"] = str(answer["next_offset"])
        else:
            break
        assert len(answer[name]) == size

    assert len(shown) == len(set(shown)) == len(made) == count


@pytest.mark.parametrize(
    "path",
    [
        "/learnings",
        "/trajectory/sessions",
        "/trajectory/sessions/session-0./assessment",
        "/ghap/clusters",
        "/ghap/entries",
        "/ghap/failures",
        "/learnings/{}/sources",
    ],
)
@pytest.mark.parametrize("cursor", ["x", "AAAA", "W10", "WzFd", "WyJ4IiwieCIsIngiXQ", "%00", "9" * 5000])
def test_cursor_that_is_none_is_refused(path: str, cursor: str, api: Api, alice: User) -> None:
    many_rows.sessions(alice, 1)
    (learning,) = many_rows.learnings(alice, 1)

    answer = api(alice).get(f"/api/v1{path.format(learning.pk)}?cursor={cursor}")

    assert (answer.status_code, answer.json()["detail"].partition(";")[0]) == (422, "cursor: invalid")


def test_every_model_of_the_admin_has_rows_here() -> None:
    assert many_rows.OF_EACH_MODEL.keys() == admin.site._registry.keys()


@pytest.mark.parametrize("label", LABELS)
def test_list_of_the_admin_goes_on_to_its_last_row(label: str, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    root = UserFactory(username="root", is_staff=True, is_superuser=True)
    model = next(model for model in admin.site._registry if model._meta.label == label)
    monkeypatch.setattr(admin.site._registry[model], "list_per_page", 5)
    many_rows.OF_EACH_MODEL[model](alice, 11)
    client = Client()
    client.force_login(root)
    address = reverse(f"admin:{label.lower().replace('.', '_')}_changelist")
    expected = set(model._default_manager.values_list("pk", flat=True))

    shown: list[Any] = []
    link: str | None = ""
    while link is not None:
        page = client.get(address + link)
        shown += [row.pk for row in page.context["cl"].result_list]
        number = page.context["cl"].page_num + 1
        link = f"?p={number}" if f'href="?p={number}"' in page.content.decode() else None

    # Looks of administrators are observations themselves, so the log grows while it is read.
    assert expected - set(shown) == set()
    assert len(shown) == len(expected) or model is Observation


def test_log_in_the_admin_goes_on_beyond_what_it_counts(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_admin, "COUNTED", 100)
    monkeypatch.setattr(log_admin.LogPaginator, "limit", 100)
    many_rows.observations(alice, 260)
    client = Client()
    client.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))

    expected = set(Observation.objects.values_list("pk", flat=True))

    shown: list[Any] = []
    for number in range(1, 8):
        page = client.get(f"/admin/obslog/observation/?p={number}")
        if page.status_code == 302:
            break
        shown += [row.pk for row in page.context["cl"].result_list]

    assert expected - set(shown) == set()
