"""The choice on the profile page, and the link in the mail."""

from __future__ import annotations

from django.test import Client

from memoryserver.accounts.models import User
from memoryserver.digest import subscriptions
from memoryserver.digest.models import Subscription


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_choice_is_made_and_taken_back_on_the_profile_page(alice: User) -> None:
    client = browser(alice)
    assert "It needs a mail address" in client.get("/account/").content.decode()
    refused = client.post("/account/weekly-mail/", {"wanted": "1"}, follow=True).content.decode()
    assert "you have no mail address" in refused

    User.objects.update(email="alice@example.org")
    assert "Send it to alice@example.org" in client.get("/account/").content.decode()
    page = client.post("/account/weekly-mail/", {"wanted": "1"}, follow=True).content.decode()
    assert ("The next weekly mail comes on Monday" in page, "Get no more of it" in page) == (True, True)

    client.post("/account/weekly-mail/", {"wanted": "0"})
    assert Subscription.objects.count() == 0


def test_link_in_the_mail_asks_first_and_ends_it_without_signing_in(alice: User) -> None:
    alice.email = "alice@example.org"
    row = subscriptions.subscribe(alice)
    address = f"/weekly-mail/{row.key}/unsubscribe/"

    client = Client(enforce_csrf_checks=True)  # as of a mail program
    assert "Stop the weekly mail to alice?" in client.get(address).content.decode()
    assert Subscription.objects.count() == 1

    assert "no weekly mail under this link" in client.post(address).content.decode()
    assert Subscription.objects.count() == 0
    assert client.get(address).status_code == 200
