from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from tests.support.rows.factories import UserFactory


@pytest.fixture
def administrator(db: None) -> Client:
    client = Client()
    client.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))
    return client


def test_token_made_in_the_admin_is_shown_once_and_opens(administrator: Client, alice: User) -> None:
    page = administrator.post(
        reverse("admin:accounts_apitoken_add"), {"user": alice.pk, "name": "laptop", "scopes": ["read"]}, follow=True
    ).content.decode()
    again = administrator.get(reverse("admin:accounts_apitoken_changelist")).content.decode()

    (text,) = re.findall(r"msv_\w{46}", page)
    found = tokens.authenticate(text)
    assert found is not None
    assert (found.user, found.name, found.scopes) == (alice, "laptop", ["read"])
    assert text not in again


def test_token_revoked_in_the_admin_opens_nothing(administrator: Client, alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")

    administrator.post(
        reverse("admin:accounts_apitoken_changelist"),
        {"action": "revoke_selected", "_selected_action": [token.pk], "confirmed": "yes"},
    )

    assert tokens.authenticate(text) is None


def test_saving_a_token_again_makes_no_new_one(administrator: Client, alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")

    changed = {"user": alice.pk, "name": "old laptop", "scopes": ["read"]}
    administrator.post(reverse("admin:accounts_apitoken_change", args=[token.pk]), changed)

    assert ApiToken.objects.get().name == "old laptop"
    assert tokens.authenticate(text) == token
