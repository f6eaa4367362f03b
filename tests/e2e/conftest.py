"""A real browser, where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright

from memoryserver.accounts.models import User
from tests.e2e.visits import Visits
from tests.support.rows.hostile_rows import HOSTILE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

LIMIT = 60_000  # milliseconds for what a page is to become, or to have: the machine may be busy with other tests

# On a developer's machine without Chromium the browser's tests are left out. In CI they are collected all the
# same, and fail.
collect_ignore_glob = [] if CHROMIUM or os.environ.get("CI") == "true" else ["test_page_*.py"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Of the module, not of the session: while it is there an event loop runs, which other tests would trip over."""
    # Playwright's event loop lives in the tests' thread, which makes Django suspect async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    expect.set_options(timeout=LIMIT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=quiet)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page of a browser that has never been anywhere."""
    context = chromium.new_context()
    context.set_default_timeout(LIMIT)
    yield context.new_page()
    context.close()


@pytest.fixture
def errors(page: Page) -> list[str]:
    """What the browser complains about: scripts that fail, files and forms that are refused."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.fixture
def owner(transactional_db: None) -> User:
    return User.objects.create_user("alice", password="open sesame please")


@pytest.fixture
def visits(owner: User, page: Page, live_server: Any) -> Visits:
    """A browser in which the owner is signed in."""
    client = Client(headers={"user-agent": HOSTILE})
    client.post("/login/", {"login": owner.username, "password": "open sesame please"})
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    return Visits(page, live_server.url)
