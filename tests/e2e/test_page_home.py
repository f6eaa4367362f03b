"""Home, the journal and the log in a browser: from the figures to the rows behind them, and back."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from ghap.intake import receive
from memoryserver.accounts.models import User
from obslog import log
from tests.e2e import sign_in
from tests.support.rows.factories import ProjectFactory, TeamFactory
from tests.support.rows.ghap_entries import body, falsified
from tests.support.rows.observations import new
from tests.support.rows.sent_calls import call, same
from trajectory.intake import receive as receive_calls


@pytest.fixture
def alice_with_work(transactional_db: None) -> User:
    alice = User.objects.create_user("alice", password="open sesame please")
    project = ProjectFactory(owner=alice, key="github.com/crew/shop")
    receive_calls(alice, project, "stuck-session", "", [*[call(n) for n in range(5)], *[same(n) for n in range(5, 14)]])
    receive(alice, project, [body(), falsified(id="ghap_20261120_150000_a1b2c3", goal="Find the leak")])
    for number in range(3):
        log.append(alice, new(message=f"note {number}", type="task.updated" if number else "task.done"))
    return alice


def test_home_leads_to_the_rows_behind_its_figures(page: Page, live_server: Any, alice_with_work: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    expect(page.get_by_role("heading", name="Stuck now")).to_be_visible()
    page.get_by_label("Period").select_option("90")
    expect(page).to_have_url(re.compile("days=90"))
    expect(page.locator(".tile", has_text="Predictions")).to_contain_text("50 %")

    page.get_by_role("link", name="stuck-session").click()
    expect(page.locator(".strip a")).to_have_count(14)
    page.locator(".strip a").nth(9).click()
    expect(page.locator("#c10")).to_be_in_viewport()

    page.go_back()
    page.go_back()
    expect(page.get_by_label("Period")).to_have_value("90")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_scope_goes_along_from_page_to_page(page: Page, live_server: Any, alice_with_work: User) -> None:
    ProjectFactory(key="github.com/crew/cart", team=TeamFactory(name="crew", people=[alice_with_work]))
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url + "/entries/")
    page.get_by_label("Project").select_option(label="shop")
    expect(page).to_have_url(re.compile("project=github.com%2Fcrew%2Fshop"))
    page.get_by_role("link", name="Learnings", exact=True).click()
    expect(page.get_by_label("Project")).to_have_value("github.com/crew/shop")

    page.get_by_label("Team").select_option("crew")  # which does not have that project
    expect(page.get_by_label("Project")).to_have_value("")
    expect(page).to_have_url(re.compile("team=crew"))
    page.get_by_role("link", name="Insights").click()
    expect(page.get_by_label("Team")).to_have_value("crew")
    expect(page.get_by_role("heading", level=1)).to_have_text("Strategies")


def test_journal_is_filtered_and_an_entry_is_told_and_back_again(
    page: Page, live_server: Any, alice_with_work: User
) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    page.get_by_role("link", name="Journal").click()
    expect(page.get_by_role("listitem")).to_have_count(2)
    page.get_by_label("Outcome").select_option("falsified")
    expect(page.get_by_role("listitem")).to_have_count(1)

    page.get_by_role("link", name="Find the leak").click()
    expect(page.get_by_role("heading", name="Root cause: wrong-assumption")).to_be_visible()
    expect(page.locator("time.moment").first).not_to_contain_text("UTC")  # in the reader's zone

    page.go_back()
    expect(page.get_by_label("Outcome")).to_have_value("falsified")
    expect(page.get_by_role("listitem")).to_have_count(1)


def test_times_are_in_the_chosen_zone_which_scripts_leave_alone(
    page: Page, live_server: Any, alice_with_work: User
) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(f"{live_server.url}/account/")
    page.get_by_label("Time zone").select_option("Asia/Kathmandu")  # 5 hours and 45 minutes, as that of no browser here
    page.locator("form", has=page.get_by_label("Time zone")).get_by_role("button").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")

    page.goto(f"{live_server.url}/log/")
    page.locator("time").first.wait_for()
    shown = page.locator("time.moment, time.clock").first
    utc, text = shown.get_attribute("title") or "", shown.inner_text()
    there = datetime.fromisoformat(shown.get_attribute("datetime") or "").astimezone(ZoneInfo("Asia/Kathmandu"))
    assert (utc.endswith(" UTC"), f"{there:%H:%M}" in text) == (True, True)


def test_log_is_narrowed_and_shows_what_arrives(page: Page, live_server: Any, alice_with_work: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    page.get_by_role("link", name="Log", exact=True).click()
    page.locator("summary", has_text="task").click()
    page.get_by_label("task.updated").check(force=True)
    expect(page.locator(".observation")).to_have_count(2)
    page.get_by_label("live").check()
    expect(page).to_have_url(re.compile("live=1"))
    log.append(alice_with_work, new(message="note 9", type="task.updated"))
    expect(page.locator(".observation")).to_have_count(3)


def test_slash_goes_to_the_search_box(page: Page, live_server: Any, alice_with_work: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    page.get_by_role("link", name="Journal").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Journal")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search the memory")).to_be_focused()
    page.keyboard.type("leak")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search/\?q=leak"))
