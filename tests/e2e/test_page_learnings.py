"""The pages of learnings and of capture in a browser: find, correct, pin, hide and delete, and see whether it works."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from capture import contexts, sink
from capture.models import CaptureState, Learning
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import capture, learning
from tests.e2e import sign_in

SAID = {
    "Run the linter before every commit": "convention",
    "The export hangs because the backup holds its lock": "gotcha",
    "Chose a queue over direct writes": "decision",
}


@pytest.fixture
def alice(transactional_db: None) -> User:
    alice = User.objects.create_user("alice", password="open sesame please")
    project = Project.objects.create(owner=alice, key="github.com/crew/shop")
    over = timezone.now() - timedelta(hours=2)  # the sessions are over, so that nothing is provisional
    for number, (content, kind) in enumerate(SAID.items(), start=1):
        met = learning(content, type=kind, source_message_uuid=f"u-{number}")
        sink.store(alice, project, capture(met, number=number, context_id=f"c{number}", captured_at=over))
    contexts.report(alice, [contexts.ReportedContext("c9", "codex", project.key, 4, timezone.now())])
    return alice


def test_learnings_are_found_corrected_pinned_hidden_and_deleted(
    page: Page, live_server: Any, alice: User, errors: list[str]
) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    page.get_by_role("link", name="Learnings").click()
    cards = page.locator(".learning")
    expect(cards).to_have_count(3)

    page.get_by_label("Words").fill("linter")
    expect(cards).to_have_count(1)
    page.get_by_label("Words").fill("")
    expect(cards).to_have_count(3)

    gotcha = page.locator(".learning", has_text="gotcha")
    gotcha.get_by_role("link", name="Correct").click()
    gotcha.get_by_label("What was learned").fill("The nightly backup holds the lock")
    gotcha.get_by_role("button", name="Save").click()
    expect(gotcha.locator(".text")).to_have_text("The nightly backup holds the lock")
    gotcha.get_by_role("button", name="Pin").click()
    expect(gotcha.get_by_role("button", name="Unpin")).to_be_visible()

    page.locator(".learning", has_text="decision").get_by_role("button", name="Hide").click()
    expect(page.locator(".learning", has_text="decision").get_by_text("hidden")).to_be_visible()
    page.get_by_label("State").select_option("hidden")
    expect(cards).to_have_count(1)
    page.get_by_label("State").select_option("shown")
    expect(cards).to_have_count(2)

    convention = page.locator(".learning", has_text="convention")
    convention.get_by_text("Delete", exact=True).click()
    convention.get_by_role("button", name="Delete for good").click()
    expect(cards).to_have_count(1)

    gotcha.get_by_role("link", name="Details").click()
    expect(page.get_by_text("45, u-2")).to_be_visible()
    expect(page.locator(".members")).to_contain_text("corrected by alice")
    rows = set(Learning.objects.values_list("content", "pinned", "hidden"))
    assert rows == {
        ("The nightly backup holds the lock", True, False),
        ("Chose a queue over direct writes", False, True),
    }
    assert errors == []


def test_capture_page_shows_the_figures_and_narrows_them(page: Page, live_server: Any, alice: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    page.get_by_role("link", name="Capture").click()
    share = page.get_by_role("region", name="Sessions with learnings")
    expect(share).to_contain_text("3 of 4")
    expect(page.locator(".bars rect")).to_have_count(30)

    page.get_by_label("Period").select_option("7")
    expect(page.locator(".bars rect")).to_have_count(7)
    page.get_by_role("link", name="gotcha").click()
    expect(page.locator(".learning")).to_have_count(1)


def test_learnings_are_reviewed_by_the_keyboard(page: Page, live_server: Any, alice: User) -> None:
    CaptureState.objects.update(settled_until=timezone.now())
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)
    page.get_by_role("link", name="Learnings", exact=True).click()
    page.get_by_role("link", name="Review new ones").click()
    expect(page.get_by_text("3 to review")).to_be_visible()
    first = page.locator(".said").inner_text()

    page.keyboard.press("y")
    expect(page.get_by_text("Kept.")).to_be_visible()
    page.keyboard.press("h")
    expect(page.get_by_text("Hidden.")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("2 to review")).to_be_visible()

    page.keyboard.press("e")
    expect(page.get_by_label("What was learned")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Say it in other words, please")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("1 to review")).to_be_visible()

    assert Learning.objects.get(content=first).reviewed_by == alice
    assert Learning.objects.filter(content="Say it in other words, please", hidden=False).exists()


def test_review_works_without_scripts(chromium: Browser, live_server: Any, alice: User) -> None:
    CaptureState.objects.update(settled_until=timezone.now())
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 375, "height": 800})
    page = context.new_page()
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url + "/learnings/review/")
    page.get_by_role("button", name="Pin").click()
    expect(page.get_by_text("2 to review")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("3 to review")).to_be_visible()
    context.close()
