"""`memory session`."""

from __future__ import annotations

import re

from ghap.local import counter
from tests.memorycli.commands.test_ghap import RESOLVE, START
from tests.support.laptops.laptop import Laptop


def test_start_names_the_session_and_show_finds_it(memory: Laptop) -> None:
    said = memory("session", "start")
    session_id = said.out.removeprefix("started ").rstrip("\n")
    assert re.fullmatch(r"session_\d{8}_\d{6}_[0-9a-f]{6}", session_id)
    assert memory("session", "show", "--json").json() == {
        "session_id": session_id,
        "tool_count": 0,
        "entries": 0,
        "active": None,
        "active_is_orphan": False,
        "journal": str(memory.journal),
    }


def test_start_tells_of_an_entry_that_was_left(memory: Laptop) -> None:
    entry = memory(*START, "--json").json()
    assert memory("session", "start").out.splitlines()[1:] == [
        "An earlier session left an entry: memory ghap adopt, or memory ghap abandon-orphan --reason TEXT",
        f"  {entry['id']}  active      1x  Fix the cache",
    ]
    assert memory("session", "start", "--json").json()["orphan"] == entry


def test_end_lists_the_sessions_entries_the_abandoned_one_too(memory: Laptop) -> None:
    first = memory(*START, "--json").json()
    memory(*RESOLVE)
    second = memory(*START, "--json").json()
    assert memory("session", "end").out == (
        f"ended {first['session_id']}, entries: 2\n"
        f"  {first['id']}  confirmed   1x  Fix the cache\n"
        f"  {second['id']}  abandoned   1x  Fix the cache\n"
    )
    assert memory("session", "end").out == "no session was open\n"
    assert memory("session", "end", "--json").json() == {"session_id": None, "entries": []}


def test_end_says_that_it_abandoned_the_entry_of_an_earlier_session(memory: Laptop) -> None:
    entry = memory(*START, "--json").json()
    session_id = memory("session", "start").out.split()[1]

    assert memory("session", "end").out == (
        f"ended {session_id}, entries: 0\n"
        f"abandoned the entry that {entry['session_id']} left:\n"
        f"  {entry['id']}  abandoned   1x  Fix the cache\n"
    )


def test_end_as_json_has_the_abandoned_entry_of_an_earlier_session(memory: Laptop) -> None:
    entry = memory(*START, "--json").json()
    memory("session", "start")

    answer = memory("session", "end", "--json").json()
    assert answer["entries"] == []
    assert answer["abandoned_orphan"]["id"] == entry["id"]
    assert answer["abandoned_orphan"]["outcome"]["status"] == "abandoned"


def test_show_counts_entries_and_tool_calls(memory: Laptop) -> None:
    entry = memory(*START, "--json").json()
    for _ in range(4):
        counter.increment(memory.journal)
    assert memory("session", "show").out == (
        f"{entry['session_id']}\n"
        f"  journal             {memory.journal}\n"
        f"  active entry        {entry['id']}\n"
        "  resolved entries    0\n"
        "  tool calls counted  4\n"
    )
    memory("session", "start")
    shown = memory("session", "show").out
    assert f"{entry['id']}, left by an earlier session\n" in shown
    assert "tool calls counted  0" in shown


def test_show_without_a_session_says_how_to_start_one(memory: Laptop) -> None:
    assert memory("session", "show").out.startswith("no session is open; start one with: memory session start\n")


def test_session_without_a_command_is_wrong_usage(memory: Laptop) -> None:
    assert memory("session").status == 2
