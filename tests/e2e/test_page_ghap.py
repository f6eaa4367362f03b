"""The journal's pages in a browser: which strategy works, what fails again, and the entry behind it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ghap import jobs
from ghap.intake import receive
from memoryserver import embedding
from memoryserver.accounts.models import Project, Team, User
from tests.e2e import sign_in
from tests.support.rows.ghap_entries import body, falsified

SOCKETS = (
    ("Start the server in CI", "The socket path was longer than 107 bytes"),
    ("Run the tests in a deep folder", "Again the path of the socket was too long"),
    ("Let the benchmark start its own server", "The socket path has more than 107 bytes there too"),
    ("Start two servers beside each other", "The second socket path was too long"),
)
OTHERS = (
    ("Speed up the search page", "The template rendered every hit twice"),
    ("Make the upload resumable", "The proxy buffers the whole body"),
    ("Stop the flaky date test", "The machine's zone is not UTC"),
)


@pytest.fixture
def crew(transactional_db: None) -> User:
    """Alice leads a crew: they have entries in a shared project, a cluster of which is about sockets."""
    embedding.load()
    alice = User.objects.create_user("alice", password="open sesame please")
    team = Team.objects.create(name="crew")
    team.members.add(alice)
    shop = Project.objects.create(key="github.com/crew/shop", team=team)
    failed = [
        falsified(
            id=f"ghap_20261120_1430{number:02d}_a1b2c3",
            goal=goal,
            prediction="It works",
            surprise=surprise,
            outcome=falsified()["outcome"] | {"result": surprise},
            root_cause={"category": "environment-issue", "description": surprise},
        )
        for number, (goal, surprise) in enumerate([*SOCKETS, *OTHERS])
    ]
    won = [body(id=f"ghap_20261121_1430{number:02d}_a1b2c3", strategy="read-the-error") for number in range(5)]
    receive(alice, shop, [*failed, *won])
    receive(alice, None, [body(id="ghap_20261122_143000_a1b2c3", strategy="ask-user", domain="testing")])
    jobs.persist_pending()
    jobs.find_clusters()
    return alice


def test_strategies_are_compared_narrowed_and_opened_by_domain(
    page: Page, live_server: Any, crew: User, errors: list[str]
) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    page.get_by_role("link", name="Insights").click()
    rows = page.locator("tbody tr:not(.part)")
    expect(rows.locator("th")).to_have_text(["systematic-elimination", "read-the-error", "ask-user"])

    page.get_by_label("Project").select_option("github.com/crew/shop")
    expect(rows).to_have_count(2)
    expect(page).to_have_url(re.compile(r"project=github.com"))
    expect(rows.filter(has_text="read-the-error")).to_contain_text("5 of 5")
    rows.filter(has_text="read-the-error").get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/entries/\?project=.*strategy=read-the-error"))
    expect(page.get_by_role("listitem")).to_have_count(5)
    assert errors == []


def test_failure_is_named_solved_and_opened_down_to_an_entry(
    page: Page, live_server: Any, crew: User, errors: list[str]
) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    page.get_by_role("link", name="Insights").click()
    page.get_by_role("link", name="Failures").click()
    failure = page.locator(".failure").first
    expect(failure).to_contain_text("socket")
    failure.get_by_role("link").click()

    page.get_by_label("Name of the failure").fill("Long socket paths")
    page.get_by_role("button", name="Save the name").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Long socket paths")
    page.get_by_role("button", name="Mark as solved").click()
    expect(page.get_by_role("status")).to_have_text("Saved. It is solved.")

    page.get_by_role("link", name="Failures").click()
    expect(page.get_by_text("No failures here.")).to_be_visible()
    page.get_by_label("solved 1").check()
    expect(page).to_have_url(re.compile("state=solved"))
    page.get_by_role("link", name="Long socket paths").click()
    goals = re.compile("|".join(goal for goal, _ in SOCKETS))
    page.get_by_role("link", name=goals).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(goals)
    expect(page.get_by_text("Root cause: environment-issue")).to_be_visible()
    assert errors == []


def test_found_entry_leads_to_its_page(page: Page, live_server: Any, crew: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(f"{live_server.url}/search/?q=upload+resumable")

    page.get_by_role("link", name="Make the upload resumable").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Make the upload resumable")
