"""What pages say where no mail leaves the server."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from memoryserver.accounts.mailing import are_mails_sent
from memoryserver.accounts.models import User
from memoryserver.digest import subscriptions
from tests.support.rows.factories import UserFactory


@pytest.fixture
def without_mail_server(settings: Any, tmp_path: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = tmp_path


def shown(user: User | None, path: str, **fields: str) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    answer = client.post(path, fields, follow=True) if fields else client.get(path)
    return answer.content.decode()


def test_mails_are_sent_where_there_is_a_mail_server(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert are_mails_sent()


@pytest.mark.usefixtures("without_mail_server")
def test_mails_that_are_files_are_not_sent() -> None:
    assert not are_mails_sent()


@pytest.mark.usefixtures("without_mail_server", "db")
def test_invitation_is_passed_on_by_hand() -> None:
    root = UserFactory(username="root", is_staff=True)
    page = shown(root, "/account/invitations/", email="eve@example.org")
    assert ("The link" in page, "was sent" in page, 'name="mail"' in page) == (True, False, False)
    assert "pass the link on yourself" in page


@pytest.mark.usefixtures("without_mail_server")
def test_weekly_mail_is_not_offered(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@example.org")
    alice.refresh_from_db()
    page = shown(alice, "/account/")
    assert ("Send it to" in page, "This server sends no mail" in page) == (False, True)
    with pytest.raises(ValueError, match="this server sends no mail"):
        subscriptions.subscribe(alice)


@pytest.mark.usefixtures("without_mail_server", "db")
def test_who_forgot_a_password_is_told_to_ask() -> None:
    page = shown(None, "/password/reset/", email="eve@example.org")
    assert ("was sent to it" in page, "Ask an administrator for the link" in page) == (False, True)


def test_with_a_mail_server_nothing_is_said_of_it(alice: User) -> None:
    pages = [shown(None, "/password/reset/", email="eve@example.org"), shown(alice, "/account/")]
    assert ["sends no mail" in page for page in pages] == [False, False]
    assert "a mail with a link to a new password was sent to it" in pages[0]
