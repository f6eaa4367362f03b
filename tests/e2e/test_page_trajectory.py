"""The pages of sessions in a browser: see the open findings, look at a session, change an observer."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from memoryserver.accounts.models import Project, User
from tests.e2e import sign_in
from tests.support.rows.sent_calls import call, same
from tests.trajectory.silence import fall_silent
from trajectory import configs
from trajectory.intake import receive
from trajectory.models import Trajectory


@pytest.fixture
def alice_who_is_stuck(transactional_db: None) -> User:
    alice = User.objects.create_user("alice", password="open sesame please")
    project = Project.objects.create(owner=alice, key="github.com/crew/shop")
    receive(alice, project, "stuck-session", "", [*[call(n) for n in range(5)], *[same(n) for n in range(5, 14)]])
    receive(alice, None, "healthy-session", "", [call(n) for n in range(9)])
    return alice


def test_sessions_are_narrowed_opened_and_their_observers_changed(
    page: Page, live_server: Any, alice_who_is_stuck: User, errors: list[str]
) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)

    page.get_by_role("link", name="Sessions", exact=True).click()
    expect(page.locator("table.sessions tbody tr")).to_have_count(2)
    page.get_by_label("State").select_option("stuck")
    expect(page.locator("table.sessions tbody tr")).to_have_count(1)

    page.get_by_role("link", name="stuck-session").click()
    expect(page.get_by_role("heading", name="Open findings")).to_be_visible()
    expect(page.locator(".timeline li.call.error")).to_have_count(9)

    page.goto(f"{live_server.url}/trajectory/observers/")
    page.get_by_label("repetition threshold").first.fill("6")
    page.get_by_role("button", name="Save as the next version").click()
    expect(page.get_by_role("status")).to_contain_text("Version 1 is saved. On this server it is in effect")
    changed = {"observers": {"repeat_call": {"settings": {"repetition_threshold": 6}}}}
    assert (configs.effective(alice_who_is_stuck, "").body, errors) == (changed, [])


def test_session_that_fell_silent_is_shown_as_ended(page: Page, live_server: Any, alice_who_is_stuck: User) -> None:
    fall_silent(Trajectory.objects.filter(session_id="stuck-session"))
    sign_in.by_cookie(page, live_server.url)
    page.goto(live_server.url)

    page.get_by_role("link", name="Sessions", exact=True).click()
    entry = page.get_by_role("row").filter(has_text="stuck-session")
    expect(entry.get_by_text("ended", exact=True)).to_be_visible()
    expect(entry).to_contain_text("Open when it ended:")
    page.get_by_label("State").select_option("stuck")
    expect(page.get_by_text("No sessions here.")).to_be_visible()

    page.goto(f"{live_server.url}/trajectory/")
    page.get_by_role("link", name="stuck-session").click()
    expect(page.get_by_text("no call came for half an hour")).to_be_visible()
    expect(page.get_by_role("heading", name="Open findings")).to_have_count(0)
    expect(page.get_by_text("until the session ended").first).to_be_visible()


def test_running_session_is_followed_live(page: Page, live_server: Any, alice_who_is_stuck: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(f"{live_server.url}/trajectory/{Trajectory.objects.get(session_id='healthy-session').pk}/")
    expect(page.locator(".timeline > li.call")).to_have_count(9)

    receive(alice_who_is_stuck, None, "healthy-session", "", [call(90, tool_name="Newcomer")])

    expect(page.locator(".timeline > li.call").first).to_contain_text("Newcomer")
    expect(page.locator(".strip a")).to_have_count(10)


def test_long_session_fits_a_phone_and_its_folded_calls_open_by_their_address(
    page: Page, live_server: Any, alice_who_is_stuck: User
) -> None:
    path = "src/" + "a_long_folder_name/" * 4 + "module.py"
    calls = [call(n, tool_input={"file_path": f"{path}{n % 7}"}) for n in range(290)]
    receive(alice_who_is_stuck, None, "long-session", "", [*calls, *[same(n) for n in range(290, 300)]])
    row = Trajectory.objects.get(session_id="long-session")
    fall_silent(Trajectory.objects.filter(pk=row.pk))
    page.set_viewport_size({"width": 375, "height": 800})
    sign_in.by_cookie(page, live_server.url)

    page.goto(f"{live_server.url}/trajectory/{row.pk}/?at=299#c299")

    assert page.evaluate("document.documentElement.scrollWidth") == 375
    expect(page.locator("#c299")).to_be_in_viewport()


def test_choosing_which_calls_shows_them_at_once(page: Page, live_server: Any, alice_who_is_stuck: User) -> None:
    sign_in.by_cookie(page, live_server.url)
    page.goto(f"{live_server.url}/trajectory/{Trajectory.objects.get(session_id='stuck-session').pk}/")
    page.get_by_label("Which calls").select_option("failed")

    expect(page).to_have_url(re.compile("show=failed"))
    expect(page.locator(".timeline li.call")).to_have_count(9)
    page.get_by_label("Order").select_option("oldest")
    expect(page).to_have_url(re.compile("show=failed&order=oldest"))
