"""`memory search` against the server itself, over HTTP."""

from __future__ import annotations

import pytest
from pytest_django.live_server_helper import LiveServer

from ghap import jobs
from ghap.intake import receive
from ghap.models import Entry
from memorycli.delivery import connection
from memoryserver import embedding
from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User
from tests.support.laptops.laptop import Laptop
from tests.support.rows.ghap_entries import body, falsified


@pytest.fixture
def online(memory: Laptop, live_server: LiveServer, transactional_db: None) -> None:
    """Logged in as Alice, of whom the server has two entries."""
    alice = User.objects.create(username="alice")
    project = Project.objects.create(owner=alice, key="shop")
    later = {
        "id": "ghap_20261121_143022_a1b2c3",
        "created_at": "2026-11-21T14:30:22Z",
        "goal": "\x1b[31mRed\x1b[0m goal",
    }
    embedding.load()
    receive(alice, project, [body(), falsified(**later)])
    jobs.persist_pending()
    _, token = tokens.issue(alice, "laptop")
    connection.store(live_server.url, token)


@pytest.mark.usefixtures("online")
def test_hits_are_shown_in_eighty_columns_with_where_they_come_from(memory: Laptop, live_server: LiveServer) -> None:
    said = memory("search", "stop", "the", "export", "--outcome", "confirmed")

    lines = said.out.splitlines()
    assert (said.status, said.err) == (0, "")
    assert lines[:2] == ["1. Stop the export from hanging", "   confirmed debugging, shop, alice, 2026-11-20"]
    assert lines[2].startswith("   Hypothesis: It waits for a lock")
    assert lines[-4:-2] == [
        "   found by meaning (1st) and by words (1st): export, stop",
        f"   {live_server.url}/entries/{Entry.objects.get(ghap_id='ghap_20261120_143022_a1b2c3').pk}/",
    ]
    assert lines[-1] == "1 found."
    assert max(map(len, lines)) <= 80


@pytest.mark.usefixtures("online")
def test_next_page_is_offered_and_goes_on_counting(memory: Laptop) -> None:
    first = memory("search", "hanging", "--limit", "1").out.splitlines()
    said, _, cursor = first[-1].rpartition(" ")
    second = memory("search", "hanging", "--limit", "1", "--cursor", cursor).out.splitlines()

    assert (said, second[0][:2], second[-1]) == ("2 found; for the next: --cursor", "2.", "2 found.")
    assert "refused (422): cursor: invalid; use the one of" in memory("search", "lock", "--cursor", cursor).err


@pytest.mark.usefixtures("online")
def test_query_that_matches_nothing_finds_nothing(memory: Laptop) -> None:
    said = memory("search", "zzzqqq")

    assert (said.status, said.out) == (0, "Nothing found; try other words, or fewer filters.\n")


@pytest.mark.usefixtures("online")
def test_colours_out_of_a_text_do_not_reach_the_terminal(memory: Laptop) -> None:
    said = memory("search", "red", "goal", "--outcome", "falsified")

    assert "Red goal" in said.out
    assert "\x1b" not in said.out


@pytest.mark.usefixtures("online")
@pytest.mark.parametrize(
    ("words", "narrowed", "found"),
    [
        ("hanging", ["--since", "2026-11-21"], ["20261121"]),
        ("hanging", ["--until", "2026-11-21"], ["20261120"]),
        ("the disk was full", ["--axis", "root_cause"], ["20261121"]),
        ("hanging", ["--user", "alice", "--project", "shop", "--source", "ghap"], ["20261120", "20261121"]),
        ("hanging", ["--domain", "debugging", "--strategy", "systematic-elimination"], ["20261120", "20261121"]),
        ("hanging", ["--type", "gotcha"], []),
    ],
)
def test_filters_narrow(words: str, narrowed: list[str], found: list[str], memory: Laptop) -> None:
    answer = memory("search", words, *narrowed, "--json").json()

    assert sorted(hit["key"][5:13] for hit in answer["hits"]) == found


@pytest.mark.usefixtures("online")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["x", "--tier", "iron"], "unknown tier 'iron'; choose from: gold, silver, bronze, abandoned"),
        ([" "], "the query is empty; describe in a few words what you are looking for"),
    ],
)
def test_what_the_server_refuses_is_one_line(words: list[str], said: str, memory: Laptop) -> None:
    answer = memory("search", *words)

    (line,) = [line for line in answer.err.splitlines() if line.startswith("memory: ")]
    assert (answer.status, answer.out, line.partition("refused (422): ")[2]) == (1, "", said)


def test_without_a_login_it_says_how(memory: Laptop) -> None:
    answer = memory("search", "x")

    assert (answer.status, answer.err) == (1, "memory: not logged in; run: memory login URL\n")
