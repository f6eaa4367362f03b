"""Sessions that go on: resumed, and compacted more than once."""

from __future__ import annotations

from collections.abc import Callable

from tests.e2e.agents.claude_code import ClaudeCode
from tests.e2e.agents.conftest import Place
from tests.e2e.agents.steps import Compacts, Ends, Prompt, Says, Starts, Stops, ran, read
from tests.e2e.agents.test_claude_code import CONTEXT, START

KNOWN = "The invoices must be sorted before they are numbered"
BEFORE = "The root cause was that `invoice.py` rounds each line, so the sum is off by 0.01 in every tenth invoice."
AFTER = "We decided to round in `total.py` because the tax office wants the sum to be exact."


def test_resumed_and_compacted_run_is_told_nothing_twice_and_its_history_teaches_nothing_twice(
    place: Callable[..., Place],
) -> None:
    at = place("invoices ü")
    laptop, there = at.laptop, at.there
    there.post("/learnings", {"type": "gotcha", "content": KNOWN, "project": laptop.project.name})
    laptop("sync")
    laptop("install", "claude-code")
    agent = ClaudeCode(laptop, leaves_open=True)

    first = agent.play(Starts(), Prompt("The sums are off."), ran(START), Says(BEFORE), Compacts("manual"))
    laptop.catch_up()
    second = agent.play(
        read("invoice.py"),
        Ends("resume"),
        Starts("resume"),
        Prompt("Go on."),
        Says(AFTER),
        Compacts("auto", replays=True),
        Starts("resume"),
        Stops("Rounded."),
        Ends(),
    )
    later = ClaudeCode(laptop).play(Starts(), Ends())

    (active,) = [laptop.json("ghap", "show")]
    number = active["id"]
    open_still = ("SessionStart", f"The GHAP entry {number} is open (iteration 1).")
    assert [one.head for one in first] == [("SessionStart", CONTEXT), open_still]
    assert [one.head for one in second] == [open_still]
    assert [line for line in first[1].text.split("\n") if line.startswith(("Goal", "Check"))] == [
        "Goal: Fix the cache test",
        "Check: sh tests/check.sh",
    ]
    assert [one.head[1] for one in later] == [f"An earlier session left the GHAP entry {number} open."]
    assert CONTEXT in later[0].text
    laptop.catch_up()
    laptop.catch_up()
    assert there.learnings() == {KNOWN: 1, BEFORE: 1, AFTER: 1}
    assert there.compactions(f"claude-code-{agent.session}") == ["manual", "auto"]
    assert there.calls(agent.session) == agent.ids()
    assert there.entries() == []
    assert laptop.hook_log() == []
