"""The main path of every page without scripts: choose, press the button, and see what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import Error as PlaywrightError

from capture.models import CaptureState, Learning
from ghap.models import Entry, Failure
from memoryserver.accounts.models import User
from memoryserver.ops.schedules import ensure_schedules
from tests.e2e import sign_in
from tests.e2e.conftest import LIMIT
from tests.support.rows.page_rows import alice_with_rows
from trajectory.models import Trajectory


@dataclass(frozen=True)
class Plain:
    """A page, what is entered (by label), the button or link that is pressed, and what the page says then.

    An expectation that begins with `?` is a part of the address.
    """

    path: str
    entered: Mapping[str, str]
    pressed: str
    expected: str


PATHS = [
    Plain("/", {"Period": "90"}, "Show", "?days=90"),
    Plain("/search/", {"What do you look for?": "export"}, "Search", "found"),
    Plain("/trajectory/", {"State": "stuck"}, "Show", "?state=stuck"),
    Plain("/trajectory/{session}/", {"Which calls": "failed"}, "Show", "?show=failed"),
    Plain("/trajectory/{session}/", {"Order": "oldest"}, "Show", "?order=oldest"),
    Plain("/trajectory/observers/", {}, "Preview on the last 50 sessions", "agents would have been told"),
    Plain("/trajectory/observers/", {}, "Save as the next version", "Version 1 is saved"),
    Plain("/entries/", {"Outcome": "falsified"}, "Show", "Shrink the export"),
    Plain("/entries/{entry}/", {}, "Similar entries", "?source=ghap"),
    Plain("/strategies/", {"Domain": "debugging"}, "Show", "?domain=debugging"),
    Plain("/failures/", {"Order": "frequent"}, "Show", "?sort=frequent"),
    Plain("/failures/{failure}/", {"Name of the failure": "The export fails"}, "Save the name", "The export fails"),
    Plain("/failures/{failure}/", {}, "Mark as known", "Known since"),
    Plain("/learnings/review/", {}, "Keep", "Undo"),
    Plain("/learnings/", {"Type": "gotcha"}, "Show", "What was learned about export 1"),
    Plain("/learnings/", {"Words": "export 2"}, "Show", "What was learned about export 2"),
    Plain("/learnings/{learning}/", {}, "Pin", "pinned"),
    Plain("/learnings/contradictions/", {"State": "decided"}, "Show", "?state=decided"),
    Plain("/context/", {"Project": "github.com/crew/shop"}, "Show", "?project="),
    Plain("/capture/", {"Period": "7"}, "Show", "?days=7"),
    Plain("/log/", {"Source begins with": "system:"}, "Show", "?source=system"),
    Plain("/operations/", {}, "Run now", "heartbeat"),
    Plain("/account/tokens/", {"Name": "ci"}, "Make the token", "msv_"),
    Plain("/account/tokens/", {}, "Revoke ci", "ci is revoked."),
    Plain("/device/", {"Code": "ABCD-EFGH"}, "Continue", "code"),
]

EMPTY = ("/", "/trajectory/", "/entries/", "/learnings/", "/strategies/", "/failures/", "/log/")


@pytest.fixture
def alice(transactional_db: None) -> User:
    return alice_with_rows()


@pytest.fixture
def plain(chromium: Browser) -> Iterator[Page]:
    """A page of a browser without scripts."""
    context = chromium.new_context(java_script_enabled=False)
    context.set_default_timeout(LIMIT)
    yield context.new_page()
    context.close()


def go(page: Page, way: Plain, path: str) -> None:
    """Walk the path. Raises AssertionError, or PlaywrightError where something is missing."""
    page.goto(path)
    for label, value in way.entered.items():
        field = page.locator("main").get_by_label(label, exact=True)
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    main = page.locator("main")
    button = main.get_by_role("button", name=re.compile(f"^{re.escape(way.pressed)}"))
    (button if button.count() else main.get_by_role("link", name=way.pressed)).first.click()
    if way.expected.startswith("?"):
        expect(page).to_have_url(re.compile(re.escape(way.expected[1:])))
    else:
        expect(page.locator("main")).to_contain_text(way.expected)
    expect(page.locator("h1")).to_have_count(1)


def test_main_path_of_every_page_needs_no_scripts(plain: Page, live_server: Any, alice: User) -> None:
    User.objects.update(is_staff=True)
    CaptureState.objects.update(last_activity_at=timezone.now() - timedelta(hours=2))  # their sessions are over
    ensure_schedules()
    keys = {
        "session": Trajectory.objects.get(session_id="shop-session").pk,
        "entry": Entry.objects.get(outcome_status="falsified").pk,
        "failure": Failure.objects.get().pk,
        "learning": Learning.objects.earliest("pk").pk,
    }
    sign_in.by_form(plain, live_server.url)
    failed = {}
    for way in PATHS:
        path = way.path.format(**keys)
        try:
            go(plain, way, live_server.url + path)
        except (AssertionError, PlaywrightError) as error:
            failed[f"{path} {way.pressed}"] = str(error).splitlines()[:3]
    assert failed == {}


def _forms(page: Page) -> Sequence[str]:
    """The forms of the page that can be filled in but not sent."""
    unsent = "form:not(:has(button, input[type=submit]))"
    return [form.evaluate("form => form.outerHTML.slice(0, 120)") for form in page.locator(f"main {unsent}").all()]


def test_empty_pages_say_what_to_do_and_have_a_way_to_send_each_form(
    plain: Page, live_server: Any, transactional_db: None
) -> None:
    sign_in.by_cookie(plain, live_server.url, User.objects.create_user("alice", password="open sesame please"))
    forms, said = {}, {}
    for path in EMPTY:
        plain.goto(live_server.url + path)
        said[path] = plain.locator("main :is(.empty, .steps, .none, p.faint)").first.is_visible()
        forms[path] = _forms(plain)

    assert said == dict.fromkeys(EMPTY, True)
    assert forms == {path: [] for path in EMPTY}
