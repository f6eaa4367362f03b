from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from memoryserver import __version__
from memoryserver.accounts.models import ApiToken, User

Api = Callable[[User | None], Client]


def test_whoami_says_whose_token_it_is(alice: User, api: Api) -> None:
    client = api(alice)
    token = ApiToken.objects.get(user=alice)

    assert client.get("/api/v1/whoami").json() == {
        "user": "alice",
        "token": token.prefix,
        "token_name": "test",
        "server_version": __version__,
    }
