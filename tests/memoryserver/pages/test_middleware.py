"""Who sees which page signed out, and in which time zone the others are shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memoryserver.accounts.models import User
from tests.support.requests.page_addresses import pages
from tests.support.rows.observations import new, store_with_any_time

HTMX = {"HX-Request": "true"}
JOINING = {"/join", "/join.ps1", "/join/client.json", "/join/client.pyz"}  # asked for before there is an account
PUBLIC = {"/favicon.ico", "/login/", "/logout/", "/healthz", "/readyz", "/metrics"} | JOINING
# For people who cannot sign in, or not yet; the last two are parts of signing in.
ENTRANCES = {
    *("/signup/", "/inactive/", "/invitation/7/", "/sso/7/", "/sso/7/callback/", "/sso/cancelled/"),
    *("/password/reset/", "/password/reset/done/", "/password/reset/key/7-7/", "/password/reset/key/done/"),
    *("/account/address/sent/", "/account/address/confirm/7/"),
    "/weekly-mail/00000000-0000-0000-0000-000000000007/unsubscribe/",  # from a mail, maybe on another machine
    *("/account/two-factor/authenticate/", "/account/two-factor/webauthn/login/"),
}


@pytest.mark.parametrize("path", sorted({*pages()} - PUBLIC - ENTRANCES))
def test_page_leads_to_the_sign_in_page_and_htmx_does_too(path: str, db: None) -> None:
    plain = Client().get(path)
    by_htmx = Client().get(path, headers={**HTMX, "HX-Current-URL": "http://testserver/learnings/?type=gotcha"})

    assert (plain.status_code, plain.headers["Location"]) == (302, f"/login/?next={path}")
    assert (by_htmx.status_code, by_htmx.content) == (200, b"")
    assert by_htmx.headers["HX-Redirect"] == "/login/?next=/learnings/%3Ftype%3Dgotcha"


@pytest.mark.parametrize("path", sorted(PUBLIC - {"/favicon.ico", "/logout/", "/metrics"}))
def test_public_address_needs_no_sign_in(path: str, db: None) -> None:
    assert Client().get(path).status_code in (200, 503)


def test_public_addresses_are_all_there_are() -> None:
    assert (PUBLIC | ENTRANCES) - {*pages()} == set()


@pytest.mark.parametrize("path", sorted(ENTRANCES))
def test_entrance_shows_nothing_that_needs_a_signed_in_user(path: str, alice: User) -> None:
    answer = Client().get(path)

    assert b"alice" not in answer.content
    assert (answer.status_code, answer.headers.get("Location", "")) in [
        (200, ""),
        (410, ""),
        (404, ""),
        (302, "/login/"),
    ]


@pytest.mark.parametrize(
    ("headers", "page"),
    [
        ({"Referer": "http://testserver/learnings/?type=gotcha"}, "/learnings/%3Ftype%3Dgotcha"),
        ({"Referer": "http://testserver/learnings/"}, "/learnings/"),
        ({"Referer": "https://evil.example/learnings/"}, "/"),
        ({}, "/"),
        ({**HTMX, "HX-Current-URL": "https://evil.example/"}, "/"),
    ],
)
def test_form_sent_while_signed_out_leads_back_to_its_page(headers: dict[str, str], page: str, db: None) -> None:
    answer = Client().post("/learnings/1/change/", {"pinned": "1"}, headers=headers)

    assert answer.headers.get("HX-Redirect", answer.headers.get("Location")) == f"/login/?next={page}"


def test_api_has_its_own_way_to_refuse(db: None) -> None:
    assert Client().get("/api/v1/whoami", headers=HTMX).status_code == 401
    assert Client().get("/api/v1/docs").status_code == 200


@pytest.mark.parametrize(("path", "user"), [("/login/", "alice"), ("/api/v1/nothing", "")])
def test_session_of_the_browser_is_of_pages_alone(path: str, user: str, browser: Client) -> None:
    request = browser.get(path).wsgi_request

    assert getattr(getattr(request, "user", None), "username", "") == user
    assert hasattr(request, "session") is bool(user)


def test_pages_have_the_chosen_time_zone_and_utc_as_the_title(alice: User, browser: Client) -> None:
    User.objects.update(time_zone="Asia/Kolkata", date_joined=datetime(2026, 11, 20, 20, 15, tzinfo=UTC))
    moment = '<time class="moment" datetime="2026-11-20T20:15:00+00:00" title="2026-11-20 20:15 UTC">{}</time>'

    chosen = browser.get("/account/").content.decode()
    User.objects.update(time_zone="")
    without = browser.get("/account/").content.decode()

    assert (moment.format("2026-11-21 01:45") in chosen, ' data-zone="Asia/Kolkata"' in chosen) == (True, True)
    assert (moment.format("2026-11-20 20:15 UTC") in without, "data-zone" in without) == (True, False)


def test_zone_of_one_person_is_not_that_of_the_next(alice: User, bob: User, browser: Client) -> None:
    User.objects.filter(pk=alice.pk).update(time_zone="Asia/Kolkata")
    other = Client()
    other.force_login(bob)

    assert b"data-zone" in browser.get("/").content
    assert timezone.get_current_timezone_name() == "UTC"
    assert b"data-zone" not in other.get("/").content


@pytest.mark.parametrize(("zone", "first"), [("", "2026-11-20T00:00:00Z"), ("Asia/Kolkata", "2026-11-19T18:30:00Z")])
def test_day_that_a_person_enters_is_one_of_their_zone(zone: str, first: str, alice: User, browser: Client) -> None:
    User.objects.update(time_zone=zone)
    moment = datetime.fromisoformat(first)
    for message, made in [("made early", moment - timedelta(seconds=1)), ("made in time", moment)]:
        observation = new(message=message, created_at=int(made.timestamp() * 1000))
        store_with_any_time(alice, [observation])

    page = browser.get("/log/?since=2026-11-20").content.decode()

    assert ("made in time" in page, "made early" in page) == (True, False)
