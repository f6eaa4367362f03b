"""The page of strategies: for whom it is, what it says, and what odd addresses do."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body, falsified


def numbered(number: int, **changes: Any) -> dict[str, Any]:
    return falsified(id=f"ghap_20261120_1430{number:02d}_a1b2c3", goal=f"Goal {number}", **changes)


def show(user: User | None, path: str, *, htmx: bool = False, **query: Any) -> tuple[int, str]:
    client = Client(headers={"hx-request": "true"} if htmx else {})
    if user is not None:
        client.force_login(user)
    answer = client.get(path, query)
    return answer.status_code, answer.content.decode()


@pytest.fixture
def entries(alice: User, shared_project: Project) -> None:
    receive(alice, shared_project, [*(numbered(number) for number in range(3)), body(domain="testing")])


def said(page: str, name: str) -> str:
    """The text of the first row of `name`, on one line."""
    row = page.partition(f">{name}</a></th>")[2].partition("</tr>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", row).split())


def test_owner_and_mate_see_the_strategies_and_a_stranger_none(
    entries: None, alice: User, bob: User, charlie: User
) -> None:
    answers = [show(user, "/strategies/") for user in (alice, bob, charlie)]
    assert [(code, "systematic-elimination" in page) for code, page in answers] == [
        (200, True),
        (200, True),
        (200, False),
    ]
    assert show(None, "/strategies/")[0] == 302


def test_strategies_are_counted_over_all_and_by_domain(entries: None, alice: User) -> None:
    _, page = show(alice, "/strategies/")

    assert said(page, "systematic-elimination") == "25 % (5 to 70 %) 1 of 4 2 (median 2)"
    assert said(page, "testing") == "100 % (21 to 100 %) 1 of 1 2 (median 2)"
    assert said(page, "debugging") == "0 % (0 to 56 %) 0 of 3 2 (median 2)"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"domain": "testing"}, "1 of 1"),
        ({"project": "github.com/crew/shop"}, "1 of 4"),
        ({"project": "another"}, "No entries here."),
        ({"domain": "cooking"}, "1 of 4"),
        ({"team": "crew"}, "1 of 4"),
        ({"days": "99999"}, "1 of 4"),
    ],
)
def test_filters_narrow_and_odd_ones_do_not(query: dict[str, Any], said: str, entries: None, alice: User) -> None:
    Project.objects.create(owner=alice, key="another")

    status, page = show(alice, "/strategies/", **query)

    assert (status, said in page) == (200, True)


def test_poor_hypotheses_are_left_out_of_the_share(entries: None, alice: User) -> None:
    Entry.objects.filter(outcome_status="falsified").update(confidence_tier="bronze")
    _, page = show(alice, "/strategies/")
    assert said(page, "systematic-elimination") == "100 % (21 to 100 %) 1 of 1 2 (median 2) 3 poor"


def test_strategy_leads_to_decided_entries_and_without_any_to_all(entries: None, alice: User) -> None:
    Entry.objects.filter(domain="debugging").update(outcome_status="abandoned", confidence_tier="abandoned")
    _, page = show(alice, "/strategies/")
    links = {
        name: html.unescape(address) for address, name in re.findall(r'<a href="([^"]+)">([a-z-]+)</a></th>', page)
    }

    assert links == {
        "systematic-elimination": "/entries/?strategy=systematic-elimination&tier=sound",
        "testing": "/entries/?strategy=systematic-elimination&domain=testing&tier=sound",
        "debugging": "/entries/?strategy=systematic-elimination&domain=debugging&outcome=all",
    }
    assert "Goal 2" in show(alice, links["debugging"])[1]


def test_htmx_is_given_the_part_that_it_replaces(entries: None, alice: User) -> None:
    assert "<html" in show(alice, "/strategies/")[1]
    assert "<html" not in show(alice, "/strategies/", htmx=True)[1]


def test_figures_are_kept_for_each_domain_and_the_page_says_so(entries: None, alice: User) -> None:
    _, before = show(alice, "/strategies/")
    Entry.objects.all().delete()
    texts = [
        said(page, "systematic-elimination")
        for page in (before, show(alice, "/strategies/")[1], show(alice, "/strategies/", domain="testing")[1])
    ]
    assert (texts[0] == texts[1], texts[0] != "", texts[2]) == (True, True, "")
    assert "up to a minute old" in before
