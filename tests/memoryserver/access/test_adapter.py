from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.test import Client, RequestFactory

from memoryserver.access.adapter import AccountAdapter
from tests.support.rows.factories import UserFactory


@pytest.mark.parametrize(("address", "expected"), [("192.0.2.7", "192.0.2.7"), ("", "0.0.0.0")])
def test_address_is_that_of_the_request(address: str, expected: str) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=address)

    assert AccountAdapter(request).get_client_ip(request) == expected


def test_mail_server_that_fails_does_not_tell_which_addresses_have_accounts(db: None, settings: Any) -> None:
    UserFactory(email="dora@example.org")
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    answers = [Client().post("/password/reset/", {"email": f"{name}@example.org"}) for name in ("dora", "nobody")]

    assert [answer.status_code for answer in answers] == [302, 302]
    assert mail.outbox == []
