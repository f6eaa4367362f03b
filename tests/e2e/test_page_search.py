"""The search page in a browser: sign in, type, find."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ghap import jobs
from ghap.intake import receive
from memoryserver import embedding
from memoryserver.accounts.models import User
from tests.e2e import sign_in
from tests.support.rows.ghap_entries import body, falsified


@pytest.fixture
def alice_with_entries(transactional_db: None) -> User:
    embedding.load()
    alice = User.objects.create_user("alice", password="open sesame please")
    receive(alice, None, [body(), falsified(id="ghap_20261120_150000_a1b2c3", goal="Shrink the image")])
    jobs.persist_pending()
    return alice


def test_typing_finds_without_a_reload(
    page: Page, live_server: Any, alice_with_entries: User, errors: list[str]
) -> None:
    sign_in.by_cookie(page, live_server.url)

    page.goto(f"{live_server.url}/search/")
    page.get_by_label("What do you look for?").press_sequentially("export hanging")

    expect(page.get_by_role("listitem").first).to_contain_text("Stop the export from hanging")
    expect(page).to_have_url(re.compile(r"/search/\?q=export%20hanging"))
    assert errors == []


def test_address_of_a_search_shows_its_results_again(page: Page, live_server: Any, alice_with_entries: User) -> None:
    sign_in.by_cookie(page, live_server.url)

    page.goto(f"{live_server.url}/search/?q=image+shrink")

    expect(page.get_by_role("listitem").first).to_contain_text("Shrink the image")
    expect(page.get_by_label("What do you look for?")).to_have_value("image shrink")


def test_wrong_password_is_said_and_lets_nobody_in(page: Page, live_server: Any, alice_with_entries: User) -> None:
    page.goto(live_server.url)
    page.get_by_label("User").fill("alice")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("alert")).to_contain_text("The username and/or password you specified are not correct")


def test_sign_out_ends_the_session(page: Page, live_server: Any, alice_with_entries: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Sign out").click()

    page.goto(f"{live_server.url}/search/?q=export")

    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
