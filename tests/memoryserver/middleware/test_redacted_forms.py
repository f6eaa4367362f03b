"""What people type into forms is redacted before a view sees it; what is for a secret is not."""

from __future__ import annotations

import pytest
from django.http import QueryDict
from django.test import Client

from capture import sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from memoryserver.accounts.models import Team, User
from memoryserver.middleware.redacted_forms import redacted_form

NO_MEMBERS = {"membership_set-TOTAL_FORMS": "0", "membership_set-INITIAL_FORMS": "0"}
TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def form_of(**fields: str) -> QueryDict:
    form = QueryDict(mutable=True)
    form.update(fields)
    return form


def test_texts_are_redacted_but_for_passwords_and_the_csrf_token() -> None:
    form = form_of(
        content=f"Push with {TOKEN} <private x>zebra</private >.", password1=TOKEN, csrfmiddlewaretoken=TOKEN
    )
    assert redacted_form(form).dict() == {
        "content": "Push with [redacted:github-token] [redacted:private].",
        "password1": TOKEN,
        "csrfmiddlewaretoken": TOKEN,
    }


def test_every_value_of_a_name_is_redacted() -> None:
    form = QueryDict(f"tag=plain&tag={TOKEN}")
    assert redacted_form(form).getlist("tag") == ["plain", "[redacted:github-token]"]


def test_form_without_secrets_stays_the_same_object() -> None:
    form = form_of(content="nothing to hide")
    assert redacted_form(form) is form


def test_page_stores_the_redacted_text(alice: User) -> None:
    learning, _ = sink.store_by_hand(alice, None, IncomingLearning("gotcha", "The cache must be emptied.", 1.0, 0))
    assert learning is not None
    client = Client()
    client.force_login(alice)

    client.post(f"/learnings/{learning.pk}/change/", {"content": f"The cache needs {TOKEN} to be emptied."})

    assert Learning.objects.get().content == "The cache needs [redacted:github-token] to be emptied."


def test_form_whose_view_does_not_redact_is_redacted_before_it(admin_client: Client) -> None:
    admin_client.post("/admin/accounts/team/add/", {"name": f"crew {TOKEN}", **NO_MEMBERS})

    assert [team.name for team in Team.objects.all()] == ["crew [redacted:github-token]"]


@pytest.mark.django_db
def test_password_that_looks_like_a_token_signs_in() -> None:
    User.objects.create_user("dora", password=TOKEN)
    client = Client()

    client.post("/login/", {"login": "dora", "password": TOKEN})

    assert client.session.get("_auth_user_id") == str(User.objects.get(username="dora").pk)
