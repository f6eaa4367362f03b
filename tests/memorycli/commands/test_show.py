"""`memory show` against the server itself, over HTTP."""

from __future__ import annotations

import json

import pytest
from pytest_django.live_server_helper import LiveServer

from capture import sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from ghap.intake import receive
from ghap.models import Entry
from memorycli.delivery import connection
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.common.columns import columns_of
from memoryserver.inquiries.models import Inquiry
from obslog import log
from tests.memorycli.commands.test_ghap import RESOLVE, START
from tests.support.laptops.laptop import Laptop
from tests.support.rows.ghap_entries import body, falsified
from tests.support.rows.observations import new
from tests.support.rows.sent_calls import same
from trajectory.intake import receive as receive_calls
from trajectory.jobs import assess_pending
from trajectory.models import Trajectory

ID = "ghap_20261120_143022_a1b2c3"


@pytest.fixture
def ada(live_server: LiveServer, transactional_db: None, memory: Laptop, alice: User) -> User:
    """Logged in on the laptop."""
    connection.store(live_server.url, tokens.issue(alice, "laptop")[1])
    return alice


def test_entry_is_shown_as_the_journal_shows_it_with_its_address(
    memory: Laptop, ada: User, live_server: LiveServer
) -> None:
    receive(ada, None, [falsified()])
    said = memory("show", ID)

    lines = said.out.splitlines()
    assert (said.status, said.err) == (0, "")
    assert lines[0] == f"{ID}  debugging, systematic-elimination"
    assert "   Surprise    No lock was held at all" in lines
    assert lines[-1] == f"{live_server.url}/entries/{Entry.objects.get().pk}/"
    assert memory("show", lines[-1]).out == said.out
    assert memory("show", "20261120").out == said.out


def test_learning_is_shown_with_where_it_comes_from(memory: Laptop, ada: User, live_server: LiveServer) -> None:
    sink.store_by_hand(ada, None, IncomingLearning("gotcha", "The export needs the VPN.", 1.0, 0, files=["a.py"]))
    key = Learning.objects.get().pk

    lines = memory("show", f"learnings/{key}").out.splitlines()

    assert lines[0].startswith(f"learnings/{key}  learning, alice, 20")
    assert memory("show", lines[0].split()[0]).out.splitlines() == lines
    assert lines[1:3] == ["", "The export needs the VPN."]
    assert {"type    gotcha", "files   a.py"} <= set(lines)
    assert lines[-1] == f"{live_server.url}/learnings/{key}/"
    for word in (str(key), f"[{key}]"):  # as the lines of a context have it
        assert memory("show", word).out.splitlines() == lines
        assert memory("open", "--print", word).out == f"{lines[-1]}\n"


def test_hidden_learning_of_ones_own_is_shown_with_the_command_that_shows_it_again(
    memory: Laptop, ada: User, bob: User, live_server: LiveServer
) -> None:
    for user in (ada, bob):
        sink.store_by_hand(user, None, IncomingLearning("gotcha", "The export needs the VPN.", 1.0, 0))
    Learning.objects.update(hidden=True)
    own, others = (Learning.objects.get(user=user).pk for user in (ada, bob))

    said = memory("show", f"learnings/{own}")
    lines = said.out.splitlines()

    assert [row.words for row in Inquiry.objects.all()] == [f"learnings/{own}"]
    assert (said.status, said.err) == (0, "")
    assert lines[0].startswith(f"learnings/{own}  learning, alice, 20")
    assert lines[1:3] == ["", "The export needs the VPN."]
    assert f"hidden  memory forget --undo {own} shows it again" in lines
    assert lines[-1] == f"{live_server.url}/learnings/{own}/"
    assert memory("show", lines[-1]).out == said.out
    assert memory("show", f"learnings/{own}", "--json").json()["document"]["details"]["hidden"] is True
    assert memory("show", f"learnings/{others}").err.startswith("memory: nothing that you may see is named")


def test_observation_is_shown_with_its_data(memory: Laptop, ada: User) -> None:
    row = log.append(ada, new(message="moved", details="from a to b", data={"n": 1}, scope_ids=["task-1"]))

    lines = memory("show", str(row.id)).out.splitlines()

    assert lines[2:4] == ["moved", ""]
    assert {"from a to b", "about   task-1", 'data    {"n": 1}', "source  agent:abc123"} <= set(lines)


def test_session_is_shown_with_its_findings(memory: Laptop, ada: User, live_server: LiveServer) -> None:
    receive_calls(ada, None, "abcd-1234", "", [same(number) for number in range(1, 30)])
    assess_pending()

    lines = memory("show", "abcd").out.splitlines()

    assert "calls   29" in lines
    assert "state   running" in lines
    assert "Findings, the newest first:" in lines
    assert lines[-1] == f"{live_server.url}/trajectory/{Trajectory.objects.get().pk}/"


def test_several_are_listed_and_none_is_chosen(memory: Laptop, ada: User) -> None:
    receive(ada, None, [body(), body(id="ghap_20261120_143022_d4e5f6", goal="Find the leak")])
    said = memory("show", "20261120")

    assert (said.status, len(said.out.splitlines())) == (1, 2)
    assert said.err == "memory: '20261120' names more than one; give one of these ids\n"
    assert {line.split()[0] for line in said.out.splitlines()} == {f"ghap/{ID}", "ghap/ghap_20261120_143022_d4e5f6"}


def test_nothing_is_one_line(memory: Laptop, ada: User) -> None:
    said = memory("show", "nothing\x1b[31m")

    assert (said.status, said.out, said.err.count("\n")) == (1, "", 1)
    assert said.err.startswith("memory: nothing that you may see is named 'nothing")


def test_json_has_kind_address_and_document(memory: Laptop, ada: User, live_server: LiveServer) -> None:
    receive(ada, None, [body()])

    shown = memory("show", ID, "--json").json()

    assert (shown["kind"], shown["document"]["title"]) == ("entry", "Stop the export from hanging")
    assert shown["url"].startswith(f"{live_server.url}/entries/")


def test_entry_of_this_journal_is_shown_without_a_server(memory: Laptop) -> None:
    memory(*START)
    active = json.loads(memory("ghap", "show", "--json").out)["id"]
    assert memory("show", active).out == memory("ghap", "show").out
    memory(*RESOLVE)
    connection.store("http://127.0.0.1:1", "t")

    assert memory("show", active[:20]).out.startswith(active)
    assert memory("show", active, "--json").json()["document"]["id"] == active


def test_journal_without_the_entry_says_why_the_server_did_not_help(memory: Laptop) -> None:
    said = memory("show", ID)

    assert (said.status, said.out) == (1, "")
    assert said.err == f"memory: this journal has no entry '{ID}', and not logged in; run: memory login URL\n"
    assert not memory.journal.exists()


def test_entry_that_was_not_delivered_yet_is_shown_from_the_journal(memory: Laptop, ada: User) -> None:
    memory(*START)

    assert memory("show", "ghap_").out == memory("ghap", "show").out


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_lines_fit_the_terminal(columns: str, memory: Laptop, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = "数据库连接池 stops " * 30
    sink.store_by_hand(ada, None, IncomingLearning("gotcha", text, 1.0, 0, files=["a/" * 60]))
    row = log.append(ada, new(message=text, data={"n": "x" * 300}))
    receive(ada, None, [body(goal=text)])
    for word in (f"learnings/{Learning.objects.get().pk}", str(row.id), ID):
        lines = memory("show", word).out.splitlines()

        assert [line for line in lines if columns_of(line) > int(columns) and not line.startswith("http")] == []
