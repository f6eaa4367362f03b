"""What the log has about single sign-on."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.signals import social_account_added, social_account_removed
from django.test import RequestFactory

from memoryserver.access.signals import sign_in_refused
from memoryserver.accounts.models import User
from obslog.models import Observation

REQUEST = RequestFactory().get("/", REMOTE_ADDR="203.0.113.7")


@pytest.mark.parametrize(
    ("send", "kind"),
    [
        (
            lambda user: social_account_added.send(SocialLogin, request=REQUEST, sociallogin=SocialLogin(user=user)),
            "user.sso_connected",
        ),
        (
            lambda user: social_account_removed.send(
                SocialAccount, request=REQUEST, socialaccount=SocialAccount(user=user)
            ),
            "user.sso_disconnected",
        ),
        (lambda user: sign_in_refused.send(SocialLogin, request=REQUEST, user=user), "user.sign_in_failed"),
    ],
    ids=["connected", "disconnected", "refused"],
)
def test_user_finds_it_in_their_log_with_the_address(send: Any, kind: str, alice: User) -> None:
    send(alice)

    row = Observation.objects.get(user=alice)
    assert (row.type, row.source, row.data) == (kind, "system:accounts", {"address": "203.0.113.7"})
