"""Settings of single sign-on."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryserver.access.sso import configuration

WHOLE = {"ISSUER": "https://id.example.org/realm/", "CLIENT_ID": "memory", "SECRET": "s3cret"}


def providers(monkeypatch: pytest.MonkeyPatch, **values: str) -> dict[str, object]:
    for name, value in values.items():
        monkeypatch.setenv(f"MEMORYSERVER_OIDC_{name}", value)
    return configuration.providers()


def test_without_an_issuer_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert providers(monkeypatch, CLIENT_ID="memory", SECRET="s3cret") == {}


def test_provider_has_pkce_and_what_the_variables_say(monkeypatch: pytest.MonkeyPatch) -> None:
    found = providers(monkeypatch, **WHOLE, NAME="Example Inc", DOMAINS="Example.org, example.com", SIGN_UP="1")

    assert found == {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "openid",
                    "name": "Example Inc",
                    "client_id": "memory",
                    "secret": "s3cret",
                    "settings": {
                        "server_url": "https://id.example.org/realm",
                        "domains": ["example.org", "example.com"],
                        "sign_up": True,
                    },
                }
            ],
        }
    }


def test_name_is_the_host_where_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    (app,) = providers(monkeypatch, **WHOLE)["openid_connect"]["APPS"]  # type: ignore[index]

    assert (app["name"], app["settings"]["domains"], app["settings"]["sign_up"]) == ("id.example.org", [], False)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"ISSUER": "http://id.example.org"}, "MEMORYSERVER_OIDC_ISSUER must begin with https://"),
        ({"ISSUER": "id.example.org"}, "MEMORYSERVER_OIDC_ISSUER must be an address that begins with http"),
        ({"SECRET": ""}, "MEMORYSERVER_OIDC_ISSUER needs MEMORYSERVER_OIDC_CLIENT_ID and MEMORYSERVER_OIDC_SECRET"),
        ({"CLIENT_ID": ""}, "MEMORYSERVER_OIDC_ISSUER needs MEMORYSERVER_OIDC_CLIENT_ID and MEMORYSERVER_OIDC_SECRET"),
    ],
)
def test_settings_that_cannot_work_are_refused(
    values: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ImproperlyConfigured, match=said):
        providers(monkeypatch, **WHOLE | values)
