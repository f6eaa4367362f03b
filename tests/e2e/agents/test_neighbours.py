"""Agents at work in one project at the same time."""

from __future__ import annotations

from collections.abc import Callable

from tests.e2e.agents.claude_code import ClaudeCode
from tests.e2e.agents.codex import Codex
from tests.e2e.agents.conftest import Place
from tests.e2e.agents.steps import Ends, Prompt, Starts, Stops, ran, read
from tests.e2e.agents.test_claude_code import START


def test_sessions_side_by_side_keep_their_calls_apart_and_the_entry_whole(place: Callable[..., Place]) -> None:
    at = place("shared ü")
    laptop, there = at.laptop, at.there
    laptop.write("tests/check.sh", "echo 1 passed\n")
    laptop("install", "claude-code")
    laptop("install", "codex")
    first, codex, other = ClaudeCode(laptop), Codex(laptop), ClaudeCode(laptop)

    told = first.play(Starts(), Prompt("Fix it."), ran(START), read("a.py"))
    told_codex = codex.play(Starts(), Prompt("Look."), ran("ls"), ran("cat a.toml"))
    told_other = other.play(Starts(), Prompt("Look."), read("b.py"), Stops("Seen."), Ends())
    told += first.play(ran("touch c.py"), ran("sh tests/check.sh"), Stops("Fixed."), Ends())
    told_codex += codex.play(ran("ls tests"), Stops("Seen."))
    told_other += other.play(Starts("resume"), read("b.py"), Ends())

    (entry,) = laptop.json("ghap", "list", "--all")
    assert [one.head for one in told] == [
        ("call 4", f"The GHAP entry {entry['id']} is resolved by its check: confirmed.")
    ]
    assert told_codex == told_other == []
    laptop.catch_up()
    assert there.entries() == [("Fix the cache test", "confirmed", "gold")]
    assert [there.calls(one.session) for one in (first, codex, other)] == [one.ids() for one in (first, codex, other)]
    assert laptop.hook_log() == []
