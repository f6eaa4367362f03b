"""`memory update`, run by a client that joined, against the server that ships another one."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memorycli.delivery import connection
from memoryserver import __version__
from memoryserver.joining.client_archive import client_archive
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.joined import Account, Ended
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        ship(running, client_archive().content, __version__)
        yield running


def ship(server: HttpServer, content: bytes, version: str, **changes: Any) -> None:
    """Have the server ship this client."""
    facts: dict[str, Any] = {
        "version": version,
        "sha256": hashlib.sha256(content).hexdigest(),
        "path": "/join/client.pyz",
    }
    facts |= {"python": [3, 11], **changes}
    known = {"/api/v1/whoami": {"user": "alice"}, "/join/client.json": facts, "/join/client.pyz": content}
    server.answer = lambda _, path, __: (200, known[path]) if path in known else (404, {})


def released(version: str) -> bytes:
    """The client as of another version."""
    source = zipfile.ZipFile(io.BytesIO(client_archive().content))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in source.namelist():
            content = source.read(name)
            archive.writestr(name, content.replace(__version__.encode(), version.encode()) if name == INIT else content)
    return file.getvalue()


INIT = "memoryserver/__init__.py"


@pytest.fixture
def account(tmp_path: Path, server: HttpServer) -> Account:
    """An account that has joined."""
    account = Account(tmp_path)
    (account.home / "client.pyz").write_bytes(client_archive().content)
    sha256 = client_archive().sha256
    command = f'"$MEMORY_PYTHON" client.pyz --server {server.url} --sha256 {sha256}'
    joined = account.sh(command, MEMORYSERVER_TOKEN="msv_x")
    assert joined.status == 0, joined.err
    return account


def test_update_installs_what_is_shipped_and_rollback_undoes_it(account: Account, server: HttpServer) -> None:
    same = account.memory("update")
    assert (same.status, same.out) == (0, f"memory {__version__} is what the server ships.\n")
    ship(server, released("0.9.9"), "0.9.9")

    check = account.memory("update", "--check")
    assert (check.status, check.out) == (
        1,
        f"{server.url} ships memory 0.9.9, this is {__version__}; to update: memory update\n",
    )
    updated = account.memory("update")
    assert (updated.status, updated.out) == (0, "memory is now 0.9.9; to go back: memory update --rollback\n")
    assert account.memory("--version").out == "memory 0.9.9\n"
    assert account.memory("update", "--check").status == 0

    back = account.memory("update", "--rollback")
    assert (back.status, back.out) == (0, f"memory is now {__version__}; to go back: memory update\n")
    assert account.memory("--version").out == f"memory {__version__}\n"
    assert json.loads(account.memory("update", "--json").out)["version"] == "0.9.9"


def failing(account: Account) -> Ended:
    ended = account.memory("update")
    assert (ended.status, ended.out, ended.err.count("\n"), ended.err.startswith("memory: ")) == (1, "", 1, True)
    assert account.memory("--version").out == f"memory {__version__}\n"
    return ended


def test_failed_update_leaves_the_client_as_it_is(account: Account, server: HttpServer) -> None:
    ship(server, released("0.9.9"), "0.9.9", sha256="0" * 64)
    assert "is damaged" in failing(account).err
    ship(server, b"no archive", "0.9.9")
    assert "is damaged" in failing(account).err
    ship(server, released("0.9.9"), "0.9.9", python=[3, 99])
    assert "needs Python 3.99" in failing(account).err
    server.answer = lambda *_: (503, {})
    assert "could not be fetched" in failing(account).err
    assert "there is no version before" in account.memory("update", "--rollback").err


def test_client_that_was_installed_otherwise_is_told_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: HttpServer
) -> None:
    memory = Laptop(tmp_path, monkeypatch, capsys)
    connection.store(server.url, "t")
    refused, check = memory("update"), memory("update", "--check", "--json")

    assert (refused.status, refused.out) == (1, "")
    assert refused.err.startswith("memory: this client was not installed by a server's join line; to update it: pip ")
    assert check.json() == {"version": __version__, "shipped": __version__, "same": True}


def test_without_a_login_there_is_no_server_to_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = Laptop(tmp_path, monkeypatch, capsys)

    assert memory("update", "--check").err == "memory: not logged in; run: memory login URL\n"
