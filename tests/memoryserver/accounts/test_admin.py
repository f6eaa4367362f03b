from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from capture.sink import store
from ghap.intake import receive
from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from obslog.emit import emit
from tests.capture.test_sink import capture, learning
from tests.support.factories import UserFactory
from tests.support.ghap_entries import body

EVERY_MODEL = sorted(model._meta.label_lower for model in admin.site._registry)


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


@pytest.mark.parametrize("label", EVERY_MODEL)
def test_list_and_page_of_every_model_open(label: str, administrator: Client, alice: User) -> None:
    receive(alice, None, [body()])
    store(alice, None, capture(learning()))
    emit(alice, type="test", source="system:test", message="a line")
    tokens.issue(alice, "laptop")
    name = label.replace(".", "_")

    listed = administrator.get(reverse(f"admin:{name}_changelist"))
    model = next(model for model in admin.site._registry if model._meta.label_lower == label)
    row = model._default_manager.first()
    shown = administrator.get(reverse(f"admin:{name}_change", args=[row.pk])) if row is not None else None

    assert listed.status_code == 200
    assert shown is None or shown.status_code == 200
