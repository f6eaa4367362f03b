"""The settings of single sign-on, from the environment: docs/settings.md lists the variables."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from memoryserver.environment import env, flag, web_address

PROVIDER, SUB_ID = "openid_connect", "openid"
"""The kind of provider as django-allauth names it, and the name of the one there is, which its addresses have."""

ADAPTER = "memoryserver.access.sso.adapter.SingleSignOnAdapter"
_NEEDED = "MEMORYSERVER_OIDC_CLIENT_ID and MEMORYSERVER_OIDC_SECRET"
_LOCAL = {"localhost", "127.0.0.1", "::1"}


def providers() -> dict[str, Any]:
    """Return the value of SOCIALACCOUNT_PROVIDERS: without MEMORYSERVER_OIDC_ISSUER none.

    Raises ImproperlyConfigured for an address that is not encrypted, or if the client's id or secret is missing.
    """
    issuer = web_address("MEMORYSERVER_OIDC_ISSUER").rstrip("/")
    if not issuer:
        return {}
    address = urlsplit(issuer)
    if address.scheme != "https" and address.hostname not in _LOCAL:
        raise ImproperlyConfigured("MEMORYSERVER_OIDC_ISSUER must begin with https://")
    names = ("MEMORYSERVER_OIDC_CLIENT_ID", "MEMORYSERVER_OIDC_SECRET")
    client, secret = (env.str(name, default="") for name in names)
    if not client or not secret:
        raise ImproperlyConfigured(f"MEMORYSERVER_OIDC_ISSUER needs {_NEEDED}")
    app = {
        "provider_id": SUB_ID,
        "name": env.str("MEMORYSERVER_OIDC_NAME", default="") or address.hostname,
        "client_id": client,
        "secret": secret,
        "settings": {
            "server_url": issuer,
            "domains": [name.strip().lower() for name in env.list("MEMORYSERVER_OIDC_DOMAINS", default=[])],
            "sign_up": flag("MEMORYSERVER_OIDC_SIGN_UP"),
        },
    }
    return {PROVIDER: {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}
