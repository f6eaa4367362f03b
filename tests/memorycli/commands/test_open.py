"""`memory open`: which address is given to the browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from ghap.intake import receive
from ghap.models import Entry
from memorycli.delivery import connection
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from tests.support.laptops.laptop import Laptop, Said
from tests.support.rows.ghap_entries import body

ID = "ghap_20261120_143022_a1b2c3"


@pytest.fixture
def ada(live_server: LiveServer, transactional_db: None, memory: Laptop, alice: User) -> User:
    """Logged in on the laptop, with an entry."""
    connection.store(live_server.url, tokens.issue(alice, "laptop")[1])
    receive(alice, None, [body()])
    return alice


def opened(memory: Laptop, tmp_path: Path, *words: str) -> tuple[Said, str]:
    """How `memory open` ended, and the address that the browser got."""
    browser, record = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {record}\n')
    browser.chmod(0o755)
    said = memory.process("open", *words, BROWSER=str(browser))
    return said, record.read_text() if record.exists() else ""


def test_page_is_opened_and_its_address_printed(
    memory: Laptop, ada: User, live_server: LiveServer, tmp_path: Path
) -> None:
    address = f"{live_server.url}/entries/{Entry.objects.get().pk}/"
    said, browser = opened(memory, tmp_path, ID)

    assert (said.status, said.out, said.err, browser) == (0, f"{address}\n", "", address)


def test_home_page_is_the_default(memory: Laptop, ada: User, live_server: LiveServer, tmp_path: Path) -> None:
    said, browser = opened(memory, tmp_path)

    assert (said.out, browser) == (f"{live_server.url}/\n", f"{live_server.url}/")


def test_address_is_only_printed_if_asked(memory: Laptop, ada: User, tmp_path: Path) -> None:
    said, browser = opened(memory, tmp_path, ID, "--print")

    assert (said.status, said.out.count("/entries/"), browser) == (0, 1, "")


def test_laptop_without_a_browser_prints_the_address(memory: Laptop, ada: User, tmp_path: Path) -> None:
    said = memory.process("open", ID, PATH=str(tmp_path), BROWSER="", DISPLAY="", WAYLAND_DISPLAY="")

    assert (said.status, said.out.count("/entries/"), said.err) == (0, 1, "")


def test_what_names_nothing_opens_nothing(memory: Laptop, ada: User, tmp_path: Path) -> None:
    said, browser = opened(memory, tmp_path, "nothing")

    assert (said.status, said.out, browser) == (1, "", "")
    assert said.err.startswith("memory: nothing that you may see is named 'nothing'")


def test_several_are_listed(memory: Laptop, ada: User, tmp_path: Path) -> None:
    receive(ada, None, [body(id="ghap_20261120_143022_d4e5f6")])
    said, browser = opened(memory, tmp_path, "20261120")

    assert (said.status, len(said.out.splitlines()), browser) == (1, 2, "")


def test_without_a_login_it_is_one_sentence(memory: Laptop) -> None:
    assert memory("open").err == "memory: not logged in; run: memory login URL\n"
    assert memory("open", ID).err == "memory: not logged in; run: memory login URL\n"
