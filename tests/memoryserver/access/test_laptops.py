"""The latest state of each laptop, for its user and for administrators."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from memoryserver import __version__
from memoryserver.access import laptops
from memoryserver.access.models import Laptop
from memoryserver.accounts.models import Membership, User
from tests.support.rows.factories import UserFactory

Api = Callable[[User | None], Client]
STATE = {"client_id": "c1", "name": "ada's laptop", "version": "0.1.0", "waiting": 3, "failed": 1, "capture_runs": True}


def report(client: Client, **changes: Any) -> Any:
    return client.post("/api/v1/laptops", {**STATE, **changes}, content_type="application/json")


def test_latest_report_of_a_client_replaces_the_one_before(api: Api, alice: User) -> None:
    client = api(alice)
    report(client)
    answer = report(client, waiting=0, version=__version__)

    laptop = Laptop.objects.get()
    assert answer.json() == {"too_old": False, "server_version": __version__}
    assert (laptop.user, laptop.name, laptop.waiting, laptop.failed, laptop.capture_runs) == (
        *(alice, "ada's laptop", 0, 1),
        True,
    )
    assert laptop.token == alice.api_tokens.get()


def test_same_id_of_two_users_is_two_laptops(api: Api, alice: User, charlie: User) -> None:
    report(api(alice))
    report(api(charlie))

    assert Laptop.objects.count() == 2


@pytest.mark.parametrize(
    ("version", "server", "expected"),
    [
        ("1.4.0", "1.4.2", False),
        ("1.3.9", "1.4.0", False),
        ("1.2.0", "1.4.0", True),
        ("0.9.0", "1.0.0", True),
        ("1.5.0", "1.4.0", False),
        ("2.0.0", "1.4.0", False),
        ("", "1.4.0", True),
        ("nonsense", "1.4.0", True),
    ],
)
def test_client_may_be_one_minor_version_behind(version: str, server: str, expected: bool) -> None:
    assert laptops.is_too_old(version, server) is expected


@pytest.mark.parametrize("changes", [{"client_id": ""}, {"client_id": "a b"}, {"waiting": -1}, {"waiting": 10**12}])
def test_report_of_another_form_is_refused(api: Api, alice: User, changes: dict[str, Any]) -> None:
    assert report(api(alice), **changes).status_code == 422


def test_page_shows_the_user_their_own_and_administrators_all(api: Api, alice: User, charlie: User) -> None:
    report(api(alice), name="alice's")
    report(api(charlie), name="charlie's", version="")
    shown = {}
    for user in (alice, UserFactory(username="root", is_staff=True)):
        browser = Client()
        browser.force_login(user)
        page = browser.get("/account/laptops/").content.decode()
        shown[user.username] = sorted(re.findall(r'<th scope="row">(\w+)', page)), "too old" in page

    assert shown == {"alice": (["alice"], False), "root": (["alice", "charlie"], True)}


@pytest.mark.parametrize(("version", "is_said"), [("dev", True), (__version__, False)])
def test_page_says_what_to_do_about_a_client_that_is_too_old(
    version: str, is_said: bool, api: Api, alice: User
) -> None:
    report(api(alice), version=version)
    browser = Client()
    browser.force_login(alice)
    page = browser.get("/account/laptops/").content.decode()

    assert (f"This server is {__version__}." in page, "<code>memory update</code>" in page) == (is_said, is_said)


def test_lead_sees_the_laptops_of_their_team_and_a_member_their_own(
    api: Api, alice: User, bob: User, charlie: User
) -> None:
    Membership.objects.filter(user=bob).update(role=Membership.Role.MEMBER)
    Membership.objects.filter(user=alice).update(role=Membership.Role.LEAD)
    for user in (alice, bob, charlie):
        report(api(user), name=user.username)

    seen = {user.username: sorted(laptop.name for laptop in laptops.visible(user)) for user in (alice, bob)}
    assert seen == {"alice": ["alice", "bob"], "bob": ["bob"]}
