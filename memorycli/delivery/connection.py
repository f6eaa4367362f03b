"""Which server this laptop uses: the owner of `$MEMORYSERVER_HOME/credentials.json`.

The setting `server_url` (`MEMORYSERVER_URL`, say) and `MEMORYSERVER_TOKEN` in the environment come before the file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from memorycli.errors import CommandError, UsageError
from memoryserver.client import config, home_folder
from memoryserver.common import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memoryserver.client.http import Client

NOT_LOGGED_IN = "not logged in; run: memory login URL"


def credentials_path() -> Path:
    """Return the file with the address and token, readable by its owner only."""
    return home_folder.path() / "credentials.json"


def is_configured() -> bool:
    """Return whether this laptop has a server, without reading the file: a hook asks before it starts a sync."""
    return bool(config.text("server_url")) or os.path.exists(credentials_path())


def load(*, timeout: float = 10.0) -> Client:
    """Return the client of the server that this laptop uses. Raises CommandError where there is none."""
    stored_address, stored_token = stored()
    url = config.text("server_url") or stored_address
    token = os.environ.get("MEMORYSERVER_TOKEN")
    if not token and url and stored_token:
        if url.rstrip("/") != stored_address:
            # The stored token is one server's; sending it to another would give it away.
            raise CommandError(f"the stored token is for {stored_address}; set MEMORYSERVER_TOKEN for {url} too")
        token = stored_token
    if not url or not token:
        raise CommandError(NOT_LOGGED_IN)
    return client(url, token, timeout=timeout)


def address() -> str:
    """Return the server's address. Raises CommandError if there is none."""
    url = config.text("server_url") or stored()[0]
    if not url:
        raise CommandError(NOT_LOGGED_IN)
    return url


def typed_address(word: str) -> str:
    """Return the address of a server without a final slash. Raises UsageError for what is none."""
    try:
        return client(word, "").url
    except CommandError as error:
        raise UsageError(str(error)) from error


def stored_url() -> str:
    """Return the address that `memory login` stored; "" if there is none, or it cannot be read."""
    try:
        return stored()[0]
    except CommandError:
        return ""


def store(url: str, token: str) -> None:
    """Store the address and token for later commands (mode 0600). Raises OSError."""
    path = credentials_path()
    files.make_folder(path.parent)
    files.write_atomic(path, json.dumps({"url": url, "token": token}, indent=2) + "\n")


def forget() -> None:
    """Delete the stored address and token. Raises OSError."""
    credentials_path().unlink(missing_ok=True)


def client(url: str, token: str, *, timeout: float = 10.0) -> Client:
    """Return a client of `url`. Raises CommandError for an invalid address or token."""
    from memoryserver.client.http import Client

    if not token.isascii() or not token.isprintable() or " " in token:
        raise CommandError("the token must be plain letters, digits and punctuation without blanks")
    try:
        return Client(url, token, timeout=timeout)
    except ValueError as error:
        raise CommandError(str(error)) from error


def stored() -> tuple[str, str]:
    """Return the stored address and token, both empty without any. Raises CommandError for a damaged file."""
    path = credentials_path()
    try:
        content = json.loads(path.read_bytes())
        url, token = content["url"], content["token"]
    except FileNotFoundError:
        return "", ""
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CommandError(f"{path} is damaged; run again: memory login URL") from error
    if not isinstance(url, str) or not isinstance(token, str):
        raise CommandError(f"{path} is damaged; run again: memory login URL")
    return url.rstrip("/"), token
