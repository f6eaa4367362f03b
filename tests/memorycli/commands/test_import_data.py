"""`memory import` against the server itself, over HTTP."""

from __future__ import annotations

import json

import pytest
from pytest_django.live_server_helper import LiveServer

from capture import sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from ghap.intake import receive
from ghap.models import Entry
from memorycli.commands import import_data
from memorycli.delivery import connection
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from tests.support.laptops.laptop import Laptop
from tests.support.rows.factories import ProjectFactory
from tests.support.rows.ghap_entries import body

HEADER = {"format": "memoryserver-data", "version": 1}


@pytest.fixture
def log_in(live_server: LiveServer, transactional_db: None, memory: Laptop, alice: User, charlie: User) -> None:
    """Logged in as Charlie; Alice has an entry and two learnings."""
    project = ProjectFactory(owner=alice, key="github.com/crew/shop")
    receive(alice, project, [body()])
    for number in range(2):
        sink.store_by_hand(alice, project, IncomingLearning("gotcha", f"Number {number} needs rain.", 1.0, 0))
    connection.store(live_server.url, tokens.issue(alice, "laptop")[1])
    memory("export", "--output", "mine.jsonl")
    connection.store(live_server.url, tokens.issue(charlie, "laptop")[1])


@pytest.mark.parametrize("rows", [1, 200])
def test_exported_data_becomes_the_users_own_once(
    rows: int, memory: Laptop, log_in: None, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_data, "_MAX_ROWS", rows)
    first, second = memory("import", "mine.jsonl", "--json").json(), memory("import", "mine.jsonl", "--json").json()

    assert (first["refused"], second["stored"], second["unchanged"]) == (0, 0, first["stored"] + first["unchanged"])
    assert Entry.objects.filter(user=charlie, project__key="github.com/crew/shop").count() == 1
    assert sorted(Learning.objects.filter(user=charlie).values_list("content", flat=True)) == [
        "Number 0 needs rain.",
        "Number 1 needs rain.",
    ]


def written(memory: Laptop, *lines: object) -> None:
    (memory.project / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_refused_rows_are_named_by_their_lines_and_the_others_stored(
    memory: Laptop, log_in: None, charlie: User
) -> None:
    entry = {"kind": "ghap.entry", "project": None, "author": "x"}
    written(memory, HEADER, entry | {"data": {}}, entry | {"data": body()}, {"kind": "new"})
    said = memory("import", "mine.jsonl")

    assert (said.status, said.out) == (1, "1 stored, 0 unchanged, 2 refused\n")
    assert (said.err.startswith("memory: line 2: "), "; line 4: unknown kind 'new'" in said.err) == (True, True)
    assert Entry.objects.filter(user=charlie).count() == 1


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([{"format": "other"}, {"kind": "x"}], "line 1 is not the header of an export"),
        ([{"format": "memoryserver-data", "version": 9}], "the export has version 9"),
        ([[]], "line 1 is not a JSON object"),
        ([], "the file is empty; is this a file that `memory export` wrote?"),
    ],
    ids=["header", "version", "list", "empty"],
)
def test_file_of_another_kind_is_refused(lines: list[object], reason: str, memory: Laptop, log_in: None) -> None:
    written(memory, *lines)
    said = memory("import", "mine.jsonl")

    assert (said.status, said.out, said.err.count("\n"), reason in said.err) == (1, "", 1, True)


def test_torn_line_and_missing_file_are_one_sentence(memory: Laptop, log_in: None) -> None:
    written(memory, HEADER)
    with (memory.project / "mine.jsonl").open("a") as file:
        file.write('{"kind": "gha')

    assert memory("import", "mine.jsonl").err == (
        "memory: line 2 is not JSON; is this a file that `memory export` wrote?\n"
    )
    assert memory("import", "none.jsonl").err == "memory: cannot read none.jsonl: No such file or directory\n"


def test_without_the_server_nothing_is_lost(memory: Laptop) -> None:
    written(memory, HEADER, {"kind": "ghap.entry", "data": body()})
    connection.store("http://127.0.0.1:1", "t")
    said = memory("import", "mine.jsonl")

    assert (said.status, said.out) == (1, "")
    assert said.err.endswith("; run it again, what is stored already stays as it is\n")
