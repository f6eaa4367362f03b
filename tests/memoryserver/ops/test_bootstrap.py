from __future__ import annotations

import pytest
from django.contrib.auth import authenticate

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from memoryserver.ops.bootstrap import Credentials, first_admin

pytestmark = pytest.mark.django_db


def created() -> Credentials:
    credentials = first_admin()
    assert credentials is not None
    return credentials


def test_first_administrator_signs_in_by_password_and_by_token() -> None:
    credentials = created()

    user = User.objects.get()
    assert (user.username, user.is_superuser, user.is_staff) == ("admin", True, True)
    assert authenticate(username=credentials.user, password=credentials.password) == user
    token = tokens.authenticate(credentials.token)
    assert token is not None
    assert token.user == user


def test_secrets_are_not_stored() -> None:
    credentials = created()

    rows = str([*User.objects.values(), *ApiToken.objects.values()])
    assert credentials.password not in rows
    assert credentials.token not in rows


def test_server_with_a_user_gets_no_administrator(alice: User) -> None:
    assert first_admin() is None
    assert list(User.objects.all()) == [alice]
    assert ApiToken.objects.count() == 0


def test_second_start_creates_nothing() -> None:
    created()

    assert first_admin() is None
    assert (User.objects.count(), ApiToken.objects.count()) == (1, 1)
