"""POSTs JSON to a webhook, never to a private address that the settings do not allow.

The host is looked up once, what it means is checked, and that same address is connected to: a name that means another
address a moment later (DNS rebinding) gains nothing. Redirects are not followed and no proxy is asked.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from urllib.parse import urlsplit

from django.conf import settings

_PORTS = {"http": 80, "https": 443}
_MOST_READ = 1024  # bytes of the response


class WebhookError(Exception):
    """The webhook was not reached, or did not accept; one line, without the address, which may contain a secret."""


def post(url: str, content: bytes, *, timeout: float) -> None:
    """POST `content` as JSON; `timeout` is in seconds. Raises WebhookError, also for a status other than 2xx."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        port = parts.port or _PORTS.get(parts.scheme, 0)
        if not host or not port:
            raise WebhookError("the webhook could not be reached: its address is not one of http or https")
        connection = _Pinned(host, port, parts.scheme, _checked_address(host, port), timeout)
        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        headers = {"Content-Type": "application/json", "User-Agent": "memoryserver"}
        try:
            connection.request("POST", path, content, headers)
            response = connection.getresponse()
            response.read(_MOST_READ)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise WebhookError(f"the webhook could not be reached: {error or type(error).__name__}") from error
    if not 200 <= response.status < 300:
        raise WebhookError(f"the webhook responded with HTTP status {response.status}")


def is_allowed(host: str, address: str) -> bool:
    """Return whether a webhook at `host`, which means `address`, may be called."""
    if host.lower() in {name.lower() for name in settings.WEBHOOK_HOSTS}:
        return True
    ip_address = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(ip_address, "ipv4_mapped", None) or getattr(ip_address, "sixtofour", None) or ip_address
    return mapped.is_global and not mapped.is_multicast


def _checked_address(host: str, port: int) -> str:
    """Return the address to connect to; raises WebhookError if any that the host means is not allowed."""
    addresses = [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if not addresses or not all(is_allowed(host, address) for address in addresses):
        raise WebhookError(
            "the webhook could not be reached: its host has a private address; "
            "name the host in MEMORYSERVER_WEBHOOK_HOSTS to allow that"
        )
    return addresses[0]


class _Pinned(http.client.HTTPConnection):
    """A connection to `address`, whatever the host's name means by now; TLS checks the certificate of the name."""

    def __init__(self, host: str, port: int, scheme: str, address: str, timeout: float) -> None:
        super().__init__(host, port, timeout=timeout)
        self._address, self._scheme = address, scheme
        self.default_port = _PORTS[scheme]  # the port is left out of the Host header

    def connect(self) -> None:
        """Connect to the address that was checked."""
        self.sock = socket.create_connection((self._address, self.port), self.timeout)
        if self._scheme == "https":
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)
