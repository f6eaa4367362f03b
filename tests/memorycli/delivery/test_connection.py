"""Which server the laptop uses: the stored credentials, and the settings that come before them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memorycli.delivery import connection
from memorycli.errors import CommandError


def test_environment_comes_before_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.store("http://stored", "t1")
    assert connection.load().url == "http://stored"
    monkeypatch.setenv("MEMORYSERVER_TOKEN", "t2")
    assert connection.load().url == "http://stored"
    monkeypatch.setenv("MEMORYSERVER_URL", "http://other/")
    assert connection.load().url == "http://other"


def test_stored_token_is_not_given_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.store("http://stored", "t1")
    monkeypatch.setenv("MEMORYSERVER_URL", "http://stored/")
    assert connection.load().url == "http://stored"
    monkeypatch.setenv("MEMORYSERVER_URL", "http://other")
    with pytest.raises(CommandError, match="^the stored token is for http://stored; set MEMORYSERVER_TOKEN"):
        connection.load()


def test_nothing_stored_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(CommandError, match="^not logged in; run: memory login URL$"):
        connection.load()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"url": 1, "token": "t"}', '{"url": "http://x"}', "\0"])
def test_damaged_credentials_are_an_error_that_says_what_to_do(content: str, home: Path) -> None:
    home.mkdir()
    (home / "credentials.json").write_text(content)
    with pytest.raises(CommandError, match="is damaged; run again: memory login URL$"):
        connection.load()


def test_stored_credentials_are_readable_by_their_owner_only() -> None:
    connection.store("http://stored/", "t1")

    assert stat.S_IMODE(os.stat(connection.credentials_path()).st_mode) == 0o600
    assert (connection.stored_url(), connection.address()) == ("http://stored", "http://stored")


def test_laptop_is_configured_by_the_file_or_by_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not connection.is_configured()
    monkeypatch.setenv("MEMORYSERVER_URL", "http://other")
    assert connection.is_configured()
    monkeypatch.delenv("MEMORYSERVER_URL")
    connection.store("http://stored", "t1")
    assert connection.is_configured()


def test_address_needs_no_token_but_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="^not logged in"):
        connection.address()
    monkeypatch.setenv("MEMORYSERVER_URL", "http://other")
    assert connection.address() == "http://other"
    with pytest.raises(CommandError, match="^not logged in"):
        connection.load()


def test_stored_url_is_empty_where_the_file_is_damaged(home: Path) -> None:
    home.mkdir()
    (home / "credentials.json").write_text("{")

    assert connection.stored_url() == ""


@pytest.mark.parametrize("token", ["two words", "gehe\u00efm", "a\nb", "a\0b"])
def test_token_that_cannot_be_sent_in_a_header_is_refused(token: str) -> None:
    with pytest.raises(CommandError, match="the token must be plain letters"):
        connection.client("http://stored", token)


def test_address_that_is_not_a_url_is_refused() -> None:
    with pytest.raises(CommandError) as caught:
        connection.client("ftp://stored", "t")
    assert "\n" not in str(caught.value)
