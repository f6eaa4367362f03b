from __future__ import annotations

import pytest
from django.core.management import call_command

from memoryserver.accounts.models import ApiToken, User
from memoryserver.ops.bootstrap import Credentials, first_admin, prepare
from tests.support.rows.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_new_server_gets_an_administrator_with_the_secrets_that_were_shown() -> None:
    shown: list[Credentials] = []

    first_admin(shown.append)

    (credentials,) = shown
    admin = User.objects.get()
    assert (admin.username, admin.is_superuser, admin.check_password(credentials.password)) == ("admin", True, True)
    assert ApiToken.objects.get().user == admin
    assert credentials.token.startswith("msv_")


def test_server_with_users_gets_none() -> None:
    UserFactory(username="alice")
    shown: list[Credentials] = []

    first_admin(shown.append)

    assert (shown, User.objects.count()) == ([], 1)


def test_administrator_whose_secrets_could_not_be_shown_does_not_exist() -> None:
    def fail(_credentials: Credentials) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        first_admin(fail)

    assert (User.objects.count(), ApiToken.objects.count()) == (0, 0)


def test_migrations_are_reported_while_they_are_applied_and_then_no_more() -> None:
    call_command("migrate", "judge", "0001", verbosity=0)
    reported: list[tuple[int, int]] = []

    for _ in range(2):
        prepare(lambda _: None, lambda done, total: reported.append((done, total)))

    assert reported == [(0, 1), (1, 1)]
