"""Checks of the web server and its settings: that it answers, addresses, TLS, mail."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import get_connection
from django.http.request import validate_host

from memoryserver.accounts.mailing import are_mails_sent
from memoryserver.environment import env, local_address
from memoryserver.ops.doctor import Finding

TIMEOUT = 10.0  # seconds
CORRECT_MAIL = (
    "set MEMORYSERVER_SMTP_URL=smtp+tls://USER:PASSWORD@HOST:587 as the mail server wants it; "
    "try it: manage.py sendtestemail YOUR@ADDRESS"
)
_LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0", "::")  # noqa: S104  (compared, not listened on)


def answers() -> Iterator[Finding]:
    """Check that the web server answers and has its embedding model."""
    address = local_address()
    url = f"{address}/readyz"
    try:
        body = _get(url)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        yield Finding(
            f"the web server does not answer at {address}: {reason}",
            "manage.py up; if it listens elsewhere, set MEMORYSERVER_HOST and MEMORYSERVER_PORT as for the server",
        )
        return
    model = body.get("checks", {}).get("embedding model", {})
    if not model.get("good", True):
        yield Finding(
            f"the embedding model: {model.get('detail', 'not loaded')}",
            "wait a minute after a start; then restart what embeds: systemctl restart memoryserver-embedding, "
            "or the server; its log says why it does not load: grep -i embedding",
        )


def public_url() -> Iterator[Finding]:
    """Check that the address in mails and links leads to this server, and that TLS is set as it says."""
    url = urlsplit(settings.PUBLIC_URL)
    host = url.hostname or ""
    if not validate_host(host, settings.ALLOWED_HOSTS):
        yield Finding(
            f"MEMORYSERVER_PUBLIC_URL names {host}, which the server refuses as a host",
            f"set MEMORYSERVER_ALLOWED_HOSTS={','.join([*settings.ALLOWED_HOSTS, host])}",
        )
    if url.scheme == "https" and not settings.SESSION_COOKIE_SECURE:
        yield Finding("MEMORYSERVER_PUBLIC_URL is https, and cookies are sent without TLS", "set MEMORYSERVER_TLS=1")
    if url.scheme == "http" and settings.SESSION_COOKIE_SECURE:
        yield Finding(
            "MEMORYSERVER_TLS is on, and MEMORYSERVER_PUBLIC_URL is not https",
            "set MEMORYSERVER_PUBLIC_URL to the https address of the server",
        )


def exposure() -> Iterator[Finding]:
    """Check that nothing secret travels or shows where anybody can read it."""
    if settings.DEBUG:
        yield Finding("MEMORYSERVER_DEBUG is on: errors show settings and data", "set MEMORYSERVER_DEBUG=0")
    host = env.str("MEMORYSERVER_HOST", default="127.0.0.1")
    if host not in _LOCAL[:3] and not settings.SESSION_COOKIE_SECURE:
        yield Finding(
            f"the server listens on {host} without TLS: passwords and tokens can be read on the way",
            "put a proxy with TLS before it, and set MEMORYSERVER_TLS=1",
        )


def mail() -> Iterator[Finding]:
    """Check that the mail server accepts connections, where one is used."""
    if not are_mails_sent():
        return
    connection = get_connection(fail_silently=False)
    try:
        connection.open()
    except (OSError, ValueError) as error:
        yield Finding(
            f"the mail server {settings.EMAIL_HOST}:{settings.EMAIL_PORT} cannot be used: {error}",
            CORRECT_MAIL,
        )
    else:
        connection.close()


def _get(url: str) -> dict[str, dict[str, dict[str, object]]]:
    """Return the JSON at `url`, which has the same form when the server is not ready.

    Raises OSError, ValueError and HTTPException.
    """
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:  # noqa: S310  (http, by this server's settings)
            content = response.read(1 << 20)
    except urllib.error.HTTPError as error:
        with error:
            content = error.read(1 << 20)
    value = json.loads(content)
    return value if isinstance(value, dict) else {}
