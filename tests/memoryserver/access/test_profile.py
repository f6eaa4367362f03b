"""The page about the signed-in person."""

from __future__ import annotations

import re

from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User


def test_profile_says_who_one_is_and_in_which_teams(alice: User, bob: User, shared_project: Project) -> None:
    tokens.issue(bob, "laptop")
    browser = Client()
    browser.force_login(bob)

    page = browser.get("/account/").content.decode()
    team = alice.teams.get()
    assert "<h1>bob</h1>" in page
    assert f'<a href="/teams/#team-{team.pk}">crew</a> (member)' in page
    assert '<dd><a href="/account/tokens/">1</a></dd>' in page
    assert '<dd><a href="/account/laptops/">0</a></dd>' in page


def test_person_changes_their_name(bob: User) -> None:
    browser = Client()
    browser.force_login(bob)

    page = browser.post("/account/name/", {"first_name": "Bob\x1b[1m", "last_name": "Builder"}, follow=True)
    refused = browser.post("/account/name/", {"first_name": "x" * 151, "last_name": ""}, follow=True)

    bob.refresh_from_db()
    assert ("Saved." in page.content.decode(), bob.last_name) == (True, "Builder")
    assert (bob.first_name.startswith("Bob"), "\x1b" in bob.first_name) == (True, False)
    assert "Ensure this value has at most 150 characters" in refused.content.decode()


def test_person_chooses_the_time_zone_of_their_pages(bob: User) -> None:
    browser = Client()
    browser.force_login(bob)

    chosen = browser.post("/account/time-zone/", {"time_zone": "Asia/Kolkata"}, follow=True).content.decode()
    refused = browser.post("/account/time-zone/", {"time_zone": "Mars/Olympus"}, follow=True).content.decode()
    bob.refresh_from_db()

    assert (bob.time_zone, "<option selected>Asia/Kolkata</option>" in chosen) == ("Asia/Kolkata", True)
    assert "There is no such time zone; choose one of the list." in refused
    browser.post("/account/time-zone/", {"time_zone": ""})
    bob.refresh_from_db()
    assert bob.time_zone == ""


def test_new_address_counts_once_its_link_was_followed(bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@old.example")
    browser = Client()
    browser.force_login(bob)

    browser.post("/account/address/", {"email": "bob@new.example", "action_add": ""})
    bob.refresh_from_db()
    before = bob.email
    (message,) = [sent for sent in mail.outbox if sent.to == ["bob@new.example"]]
    (link,) = re.findall(r"/account/address/confirm/[-:\w]+/", str(message.body))
    waiting, asked = browser.get("/account/address/").content.decode(), browser.get(link).content.decode()
    done = browser.post(link, follow=True).content.decode()

    bob.refresh_from_db()
    assert (before, bob.email) == ("bob@old.example", "bob@new.example")
    assert (message.subject, "bob has entered this address as theirs" in message.body) == (
        *("[testserver] Confirm your mail address", True),
    )
    assert "A mail with a link went to <b>bob@new.example</b>." in waiting
    assert "<b>bob@new.example</b> becomes the address of bob." in asked
    assert "bob@new.example is your address now." in done


def test_change_of_the_address_can_be_taken_back(bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@old.example")
    browser = Client()
    browser.force_login(bob)
    browser.post("/account/address/", {"email": "bob@new.example", "action_add": ""})

    page = browser.post("/account/address/", {"email": "bob@new.example", "action_remove": ""}, follow=True)

    assert list(EmailAddress.objects.values_list("email", "verified")) == [("bob@old.example", True)]
    assert "A mail with a link went" not in page.content.decode()


def test_address_that_is_none_is_said_beside_the_field(bob: User) -> None:
    browser = Client()
    browser.force_login(bob)

    page = browser.post("/account/address/", {"email": "no address", "action_add": ""}).content.decode()

    assert 'value="no address"' in page
    assert '<p class="problem" role="alert" id="address-error">Enter a valid email address.</p>' in page


def test_link_of_an_address_that_is_none_changes_nothing(bob: User) -> None:
    browser = Client()
    browser.force_login(bob)

    assert browser.get("/account/address/confirm/Mg:abc/").status_code == 200
    assert browser.post("/account/address/confirm/Mg:abc/").status_code == 404
