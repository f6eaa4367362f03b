"""The Back button on every page with a form: open, filter, follow a link, go back, compare; and back to the start."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from memoryserver.accounts.models import User
from tests.e2e import sign_in
from tests.support.rows.page_rows import alice_with_rows


@dataclass(frozen=True)
class Way:
    """A page, the filter that is chosen on it, and the link that is followed from its results."""

    path: str
    label: str
    choice: str
    link: str


WAYS = [
    Way("/search/?q=export", "Project", "github.com/crew/shop", ".hit h2 a"),
    Way("/learnings/", "Type", "gotcha", ".learning a"),
    Way("/learnings/contradictions/", "State", "decided", ".hit dd a"),
    Way("/trajectory/", "Project", "github.com/crew/shop", "td.what a"),
    Way("/strategies/", "Domain", "debugging", ".brand"),
    Way("/failures/", "Order", "frequent", ".hit h2 a"),
    Way("/capture/", "Period", "7", "table a"),
]


@pytest.fixture
def alice(transactional_db: None) -> User:
    return alice_with_rows()


def state(page: Page) -> dict[str, Any]:
    """What a person sees: the address, the title, what the form says, and the results."""
    return {
        "url": page.url,
        "title": page.title(),
        "form": page.eval_on_selector_all(
            "main form.filters :is(input, select), main form.search :is(input, select)",
            "fields => fields.map(field => [field.name, field.type === 'checkbox' ? field.checked : field.value])",
        ),
        "results": re.sub(r"(\d+|a)\s(seconds?|minutes?)\sago|now", "recently", page.locator("#results").inner_text()),
        "layout": page.locator("header.bar").count(),
    }


def settled(page: Page, expected: dict[str, Any]) -> dict[str, Any]:
    """The state of the page as soon as it is `expected`, or else after ten seconds."""
    deadline = time.monotonic() + 10
    while (shown := state(page)) != expected and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    return shown


def go_and_come_back(page: Page, address: str, way: Way) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return what Back and Forward showed beside what was left there, where the two differ."""
    page.goto(address + way.path)
    at_first = state(page)

    page.get_by_label(way.label).select_option(way.choice)
    expect(page).to_have_url(re.compile(f"={re.escape(way.choice.replace('/', '%2F'))}"))
    filtered = state(page)  # htmx changes the address after it has swapped the results in
    assert filtered["layout"] == 1
    assert filtered["form"] != at_first["form"]
    page.locator(way.link).first.click()
    expect(page).not_to_have_url(filtered["url"])

    wrong = {}
    for what, move, left in (
        ("back", page.go_back, filtered),
        ("back to the start", page.go_back, at_first),
        ("forward", page.go_forward, filtered),
    ):
        move()
        if (shown := settled(page, left)) != left:
            wrong[f"{way.path}: {what}"] = (shown, left)
    return wrong


def test_back_shows_each_page_as_it_was_left(page: Page, live_server: Any, alice: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    wrong: dict[str, object] = {}
    for way in WAYS:
        wrong |= go_and_come_back(page, live_server.url, way)

    assert wrong == {}


@pytest.mark.parametrize(
    ("path", "label", "name"), [("/search/", "What do you look for?", "q"), ("/learnings/", "Words", "text")]
)
def test_typing_replaces_the_address_and_enter_adds_one(
    page: Page, live_server: Any, alice: User, path: str, label: str, name: str
) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url + path)
    entries = page.evaluate("history.length")
    for text in ("exp", "export", "export 1"):
        page.get_by_label(label).fill(text)
        expect(page).to_have_url(re.compile(f"{name}={text.replace(' ', '(%20|[+])')}(&|$)"))
    assert page.evaluate("history.length") == entries

    page.get_by_label(label).press("Enter")
    page.wait_for_function("entries => history.length !== entries", arg=entries)
    assert page.evaluate("history.length") == entries + 1


def test_title_follows_the_search(page: Page, live_server: Any, alice: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(f"{live_server.url}/search/")
    page.get_by_label("What do you look for?").fill("export")

    expect(page).to_have_title("export · Search · memoryserver")


def test_expired_session_leads_to_the_sign_in_page_and_back_to_the_search(
    page: Page, live_server: Any, alice: User
) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(f"{live_server.url}/search/?q=export")
    Session.objects.all().delete()

    page.get_by_label("falsified").check(force=True)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.locator("header.bar").count() == 1
    page.get_by_label("User").fill("alice")
    page.get_by_label("Password").fill("open sesame please")
    page.get_by_role("button", name="Sign in").click()

    expect(page).to_have_url(f"{live_server.url}/search/?q=export")


def test_failure_of_a_fragment_is_shown_and_the_page_stays(page: Page, live_server: Any, alice: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(f"{live_server.url}/learnings/")
    page.route("**/learnings/?*", lambda route: route.abort())
    page.get_by_label("Type").select_option("gotcha")
    expect(page.locator("#problem")).to_have_text("The server cannot be reached. Try again in a moment.")
    expect(page.locator(".learning")).to_have_count(2)

    page.unroute("**/learnings/?*")
    page.get_by_label("Type").select_option("decision")
    expect(page.locator(".learning")).to_have_count(1)
    expect(page.locator("#problem")).to_be_hidden()
