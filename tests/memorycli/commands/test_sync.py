"""`memory sync` against a real HTTP server."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from memorycli.delivery import connection
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.client.outbox import Outbox
from tests.memorycli.commands.test_ghap import RESOLVE, START
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.laptop import Laptop
from tests.support.laptops.terminals import on_terminal


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


@pytest.fixture
def logged_in(memory: Laptop, server: HttpServer) -> None:
    connection.store(server.url, server.token)


def entry(memory: Laptop) -> str:
    """A resolved entry's id."""
    found: str = memory(*START, "--json").json()["id"]
    memory(*RESOLVE)
    return found


def journal_line(said: str) -> str:
    """What was said of the journal; other parts have lines of their own."""
    return next(line for line in said.splitlines() if line.startswith("journal: "))


@pytest.mark.usefixtures("logged_in")
def test_entries_are_sent_once_under_the_projects_key(memory: Laptop, server: HttpServer) -> None:
    (memory.project / ".git/config").write_text('[remote "origin"]\n\turl = git@github.com:acme/shop.git\n')
    entry_id = entry(memory)
    assert journal_line(memory("sync").out) == "journal: 1 sent"
    assert "journal: " not in memory("sync").out
    assert server.entries.batches == [[entry_id]]
    assert server.entries.projects == {"github.com/acme/shop"}


@pytest.mark.usefixtures("logged_in")
def test_project_without_a_journal_has_nothing_new(memory: Laptop) -> None:
    assert "journal: " not in memory("sync").out
    assert not memory.journal.exists()


@pytest.mark.usefixtures("logged_in")
def test_journal_of_another_folder_can_be_named(memory: Laptop, server: HttpServer, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    memory(*START, "--journal", other)
    memory(*RESOLVE, "--journal", other)
    assert journal_line(memory("sync", "--journal", other).out) == "journal: 1 sent"


def test_offline_is_one_line_and_no_error(memory: Laptop) -> None:
    connection.store("http://127.0.0.1:1", "t")
    entry(memory)
    said = memory("sync")
    assert (said.status, said.err) == (0, "")
    assert re.fullmatch(
        r"journal: offline, 1 entry wait: http://127\.0\.0\.1:1 cannot be reached: .*Connection refused\n", said.out
    )
    strict = memory("sync", "--strict")
    assert strict.status == 1
    assert strict.err == f"memory: {said.out}"


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.usefixtures("logged_in")
def test_server_that_cannot_answer_is_the_same_as_offline(status: int, memory: Laptop, server: HttpServer) -> None:
    entry(memory)
    server.answer = lambda *_: (status, {"detail": "later"})
    said = memory("sync")
    assert said.status == 0
    assert said.out == f"journal: offline, 1 entry wait: {server.url} could not answer ({status}): later\n"


@pytest.mark.usefixtures("logged_in")
def test_refused_entry_is_named_kept_and_sent_again_when_asked(memory: Laptop, server: HttpServer) -> None:
    bad, good = entry(memory), entry(memory)
    server.entries.refuse = {bad: "goal is missing"}
    said = memory("sync")
    assert said.status == 0
    assert said.out.startswith(
        f"journal: 1 sent, 1 failed and kept (send them again with --retry-failed)\n  failed: {bad}: goal is missing\n"
    )
    assert list(server.entries.stored) == [good]
    assert memory("sync", "--strict").status == 1
    server.entries.refuse = {}
    assert journal_line(memory("sync", "--retry-failed").out) == "journal: 1 sent"
    assert memory("sync", "--strict").status == 0


def test_refused_token_is_an_error_of_one_line(memory: Laptop, server: HttpServer) -> None:
    connection.store(server.url, "old")
    entry(memory)
    said = memory("sync")
    assert (said.status, said.out) == (1, "")
    assert said.err == f"memory: journal: {server.url} refused the token (401); run: memory login {server.url}\n"


def test_not_logged_in_is_an_error_of_one_line(memory: Laptop) -> None:
    said = memory("sync")
    assert (said.status, said.out, said.err) == (1, "", "memory: not logged in; run: memory login URL\n")


@pytest.mark.usefixtures("logged_in")
def test_unreadable_lines_are_named(memory: Laptop) -> None:
    entry(memory)
    with (memory.journal / "session_entries.jsonl").open("a") as file:
        file.write("torn\n")
    assert memory("sync").out.startswith(
        "journal: 1 sent, 1 unreadable line passed over\n  unreadable: session_entries.jsonl, entry 2: invalid JSON: "
    )


@pytest.mark.usefixtures("logged_in")
def test_json_has_each_part(memory: Laptop) -> None:
    entry(memory)
    assert json.loads(memory("sync", "--json").out)["journal"] == {
        "line": "1 sent",
        "details": [],
        "complete": True,
        "offline": False,
    }


@pytest.mark.usefixtures("logged_in")
def test_damaged_state_is_noted_and_everything_sent_again(memory: Laptop) -> None:
    entry(memory)
    memory("sync")
    (memory.journal / ".sync.json").write_text("{")
    said = memory("sync")
    assert (said.status, journal_line(said.out)) == (0, "journal: 1 sent")
    assert said.err.startswith("memory: note: .sync.json was damaged")


@pytest.mark.django_db(transaction=True)
def test_nothing_new_is_one_line_that_names_the_server(memory: Laptop, live_server: LiveServer, alice: User) -> None:
    connection.store(live_server.url, tokens.issue(alice, "laptop")[1])
    entry(memory)
    first = memory("sync")
    second = memory("sync")

    assert (first.status, first.out.splitlines()[0]) == (0, "journal: 1 sent")
    assert (second.status, second.err) == (0, "")
    assert second.out == f"Nothing new: {live_server.url} has everything.\n"
    assert len(memory("sync", "--json").json()) > 5


def test_what_the_server_refused_of_the_outbox_is_dropped_and_named(memory: Laptop) -> None:
    Outbox(memory.home, "observations").set_aside("1", {}, "no type")
    Outbox(memory.home, "session_ends").set_aside("2", {}, "unknown session")
    Outbox(memory.home, "observations").add("3", {})

    said = memory("sync", "--drop-failed")

    assert (said.status, said.err) == (0, "")
    assert said.out == "dropped observations/1: no type\ndropped session_ends/2: unknown session\n"
    assert [path.stem for path in Outbox(memory.home, "observations").waiting()] == ["3"]
    assert memory("sync", "--drop-failed").out == "Nothing in the outbox was refused.\n"


@pytest.mark.usefixtures("logged_in")
def test_terminal_sees_how_far_a_long_sync_has_come(memory: Laptop, server: HttpServer) -> None:
    entry(memory)

    def slowly(method: str, path: str, body: Any) -> tuple[int, Any]:
        time.sleep(0.3)
        return (200, server.entries("/ghap/entries", body)) if path == "/api/v1/ghap/entries" else (404, {})

    server.answer = slowly
    said = on_terminal("sync", columns=80)

    assert re.search(r"\rSyncing \[#*\.+\] \d+/\d+, \w+", said.screen)
    assert "journal: 1 sent" in said.screen
    assert "Syncing" not in memory("sync").err
