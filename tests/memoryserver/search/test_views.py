from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ghap import jobs
from ghap.intake import receive
from ghap.models import Entry
from memoryserver import embedding
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body, falsified

QUERY = "/search/?q=export+hanging"


def _bodies(count: int) -> list[dict[str, Any]]:
    """Entries that differ, since near-equal ones are folded."""
    return [
        body(id=f"ghap_20261120_1430{number:02}_a1b2c3", goal=f"Stop export {number} from hanging")
        for number in range(count)
    ]


@pytest.fixture
def browser() -> Any:
    def as_user(user: User | None) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return as_user


@pytest.fixture
def entry(alice: User, shared_project: Project) -> None:
    embedding.load()
    receive(alice, shared_project, [body()])
    jobs.persist_pending()


def test_nobody_is_sent_to_the_sign_in_page(db: None, browser: Any) -> None:
    answer = browser(None).get(QUERY)

    assert (answer.status_code, answer.url) == (302, "/login/?next=/search/%3Fq%3Dexport%2Bhanging")


@pytest.mark.parametrize(("name", "count"), [("alice", 1), ("bob", 1), ("charlie", 0)])
def test_owner_and_mate_see_the_entry_and_a_stranger_does_not(
    name: str, count: int, entry: None, browser: Any, charlie: User
) -> None:
    page = browser(User.objects.get(username=name)).get(QUERY).content.decode()

    assert page.count(">Stop the <mark>export</mark> from <mark>hanging</mark></a></h2>") == count


def test_hit_says_who_when_and_where_from(entry: None, alice: User, browser: Any) -> None:
    page = browser(alice).get(QUERY).content.decode()

    told = [
        'alice in <span title="github.com/crew/shop">shop',
        'datetime="2026-11-20T14:30:22',
        "entry ghap_20261120_143022_a1b2c3",
    ]
    for words in told:
        assert words in page


def test_filters_of_the_page_narrow_and_stay_chosen(entry: None, alice: User, browser: Any) -> None:
    chosen = "&source=ghap&project=github.com/crew/shop&outcome=confirmed&days="
    found = browser(alice).get(QUERY + chosen).content.decode()
    nothing = browser(alice).get(QUERY + "&outcome=falsified").content.decode()

    assert (found.count("<h2>"), nothing.count("<h2>")) == (1, 0)
    assert re.search(r'<option value="github.com/crew/shop"[^>]* selected>', found)
    for name, value in (("source", "ghap"), ("outcome", "confirmed")):
        assert f'name="{name}" value="{value}" form="filters" checked' in found
    assert 'name="outcome" value="falsified" form="filters" checked' in nothing  # so that it can be taken back


def test_unknown_filter_is_answered_on_the_page_with_the_choices(entry: None, alice: User, browser: Any) -> None:
    page = browser(alice).get(QUERY + "&outcome=won").content.decode()

    assert "unknown outcome &#x27;won&#x27;; choose from: confirmed, falsified, abandoned" in page


def test_more_is_fetched_in_place_until_the_end_is_said(alice: User, browser: Any) -> None:
    receive(alice, None, _bodies(25))
    client = browser(alice)

    first = client.get(QUERY).content.decode()
    more = client.get(QUERY + "&offset=20", headers={"hx-request": "true"}).content.decode()

    assert (first.count("<h2>"), first.count('hx-get="?q=export+hanging&amp;offset=20"')) == (20, 1)
    assert (more.count("<h2>"), "<ol" in more, "That is all of 25." in more) == (5, False, True)


@pytest.mark.parametrize("offset", ["-1", "x", "", "9" * 12])
def test_offset_that_is_no_number_is_the_beginning(offset: str, entry: None, alice: User, browser: Any) -> None:
    assert browser(alice).get(QUERY, {"q": "export", "offset": offset}).content.decode().count("<h2>") == 1


def test_htmx_gets_the_results_alone(entry: None, alice: User, browser: Any) -> None:
    page = browser(alice).get(QUERY, headers={"hx-request": "true"}).content.decode()

    assert ">Stop the <mark>export</mark> from <mark>hanging</mark></a></h2>" in page
    assert "<html" not in page


def test_hostile_text_is_shown_not_run(alice: User, browser: Any) -> None:
    receive(alice, None, [body(goal="<script>alert(1)</script> export")])

    page = browser(alice).get("/search/?q=export").content.decode()

    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


def test_query_that_cannot_be_is_answered_on_the_page(alice: User, browser: Any) -> None:
    page = browser(alice).get("/search/", {"q": "x" * 3000}).content.decode()

    assert "the query has 3000 characters; the maximum is 2000" in page


def test_page_sends_a_policy_without_inline_script_or_style(alice: User, browser: Any) -> None:
    answer = browser(alice).get("/search/")

    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert " style=" not in answer.content.decode()
    assert "<script>" not in answer.content.decode()


def test_number_of_queries_does_not_grow_with_the_hits(alice: User, browser: Any) -> None:
    client = browser(alice)
    client.get(QUERY)
    counts = []
    for hits in (1, 3):
        receive(alice, None, _bodies(hits))
        with CaptureQueriesContext(connection) as queries:
            page = client.get(QUERY).content.decode()
        assert page.count("<h2>") == hits
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_chips_count_the_results(alice: User, browser: Any) -> None:
    receive(alice, None, [*_bodies(2), falsified(id="ghap_20261120_150000_a1b2c3", goal="The export hangs again")])
    page = browser(alice).get("/search/?q=export&mode=lexical").content.decode()
    chips = re.findall(r'name="(\w+)" value="(\w*)"[^>]*>\s*([a-z ]+)<span class="count">(\d+)', page)
    assert [(name, value, int(count)) for name, value, _, count in chips] == [
        ("source", "ghap", 3),
        ("outcome", "confirmed", 2),
        ("outcome", "falsified", 1),
    ]


def test_hit_says_why_it_was_found(entry: None, alice: User, browser: Any) -> None:
    page = browser(alice).get(QUERY).content.decode()
    why = re.sub(r"<[^>]+>", "", page.partition('<p class="why">')[2].partition("</p>")[0])
    assert why == "Found by export, hanging and by meaning, as number 1, in its strategy"


def test_near_equal_results_are_listed(alice: User, bob: User, charlie: User, browser: Any) -> None:
    for number in range(2):
        receive(alice, None, [body(id=f"ghap_20261120_14302{number}_a1b2c3")])
    page = browser(alice).get("/search/?q=export").content.decode()
    (address,) = set(re.findall(r'href="(/search/near-equal/[^"]+)"', page))

    own, others = (browser(user).get(address.replace("&amp;", "&")).content.decode() for user in (alice, charlie))
    assert (page.count("1 more that says nearly the same"), own.count("Stop the export from hanging</a>")) == (1, 1)
    assert "They are gone, or no longer shared with you." in others
    assert browser(alice).get("/search/near-equal/?id=").status_code == 422


@pytest.mark.parametrize(
    ("name", "query", "named"),
    [
        ("alice", "ghap_20261120_143022_a1b2c3", True),
        ("bob", "ghap/ghap_20261120_143022_a1b2c3", True),
        ("alice", "ghap_20261120_14302", False),
        ("charlie", "ghap_20261120_143022_a1b2c3", False),
    ],
    ids=["owner", "mate, with the source", "a beginning", "stranger"],
)
def test_pasted_id_leads_to_what_it_names(
    name: str, query: str, named: bool, entry: None, charlie: User, browser: Any
) -> None:
    page = browser(User.objects.get(username=name)).get("/search/", {"q": query}).content.decode()

    key = Entry.objects.get().pk
    assert (f'The id of <a href="/entries/{key}/">Stop the export from hanging</a>' in page) is named
