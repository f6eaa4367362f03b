from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from memoryserver import __version__
from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User

Api = Callable[[User | None], Client]


def test_whoami_says_whose_token_it_is(alice: User, api: Api) -> None:
    client = api(alice)
    token = ApiToken.objects.get(user=alice)

    assert client.get("/api/v1/whoami").json() == {
        "user": "alice",
        "token": token.prefix,
        "token_name": "test",
        "scopes": ["ingest", "read", "manage"],
        "expires_at": None,
        "server_version": __version__,
    }


def test_whoami_of_an_unknown_token_is_a_401(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    ApiToken.objects.all().delete()

    assert Client(headers={"authorization": f"Bearer {text}"}).get("/api/v1/whoami").status_code == 401


def test_whoami_tells_each_token_of_a_user_apart(alice: User) -> None:
    names = []
    for name in ("laptop", "desktop"):
        _, text = tokens.issue(alice, name)
        names.append(Client(headers={"authorization": f"Bearer {text}"}).get("/api/v1/whoami").json()["token_name"])

    assert names == ["laptop", "desktop"]


def test_revoked_token_of_a_request_opens_nothing_more_and_the_others_stay(alice: User, api: Api) -> None:
    client, other = api(alice), api(alice)

    assert client.delete("/api/v1/tokens/current").status_code == 204
    assert client.get("/api/v1/whoami").status_code == 401
    assert other.get("/api/v1/whoami").status_code == 200
