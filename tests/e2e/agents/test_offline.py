"""Whole runs without a server, and the day after."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.agents.claude_code import ClaudeCode
from tests.e2e.agents.conftest import Place
from tests.e2e.agents.network import Line
from tests.e2e.agents.steps import Compacts, Ends, Prompt, Says, Starts, Stops, ran, read
from tests.e2e.agents.test_claude_code import CONTEXT, START
from tests.support.processes.server_process import Server

KNOWN = "The mirror must be named before the packages are fetched"
LEARNT = "The root cause was that `fetch.py` retries without a pause, so the mirror bans the address for an hour."
CHILD = "from memorycli.delivery import background; from memorycli.hook import log; background.child(log.write)"


@pytest.fixture
def line(server: Server) -> Iterator[Line]:
    line = Line(server.address)
    yield line
    line.close()


def test_run_beside_a_server_that_never_answers_waits_for_nothing_and_is_delivered_once_later(
    place: Callable[..., Place], line: Line
) -> None:
    at = place("mirror ü", line.url)
    laptop, there = at.laptop, at.there
    laptop.write("tests/check.sh", "echo 1 passed\n")
    there.post("/learnings", {"type": "gotcha", "content": KNOWN, "project": laptop.project.name})
    laptop("sync")
    laptop("install", "claude-code")
    agent = ClaudeCode(laptop)

    dead = line.dies()
    told = agent.play(
        Starts(),
        Prompt("Why are we banned?"),
        ran(START),
        ran("touch fetch.py"),
        Says(LEARNT),
        Stops("I think I know."),
        Prompt("Go on."),
        Compacts("manual"),
        ran("sh tests/check.sh"),
        Stops("Found."),
        Ends(),
    )
    callers = dead.callers()
    line.lives_again(dead)

    (entry,) = laptop.json("ghap", "list", "--all")
    assert [one.head for one in told] == [
        ("SessionStart", CONTEXT),
        ("SessionStart", f"The GHAP entry {entry['id']} is open (iteration 1)."),
        ("call 3", f"The GHAP entry {entry['id']} is resolved by its check: confirmed."),
    ]
    assert [CHILD in caller for caller in callers] == [True] * len(callers)
    assert {(one.ran.status, one.ran.err) for one in agent.fired} == {(0, "")}
    laptop.catch_up()
    assert there.entries() == [("Fix the cache test", "confirmed", "gold")]
    assert there.calls(agent.session) == agent.ids()
    assert there.learnings() == {KNOWN: 1, LEARNT: 1}
    assert there.compactions(f"claude-code-{agent.session}") == ["manual"]
    assert there.uses(KNOWN) == [("context", agent.session)]
    assert laptop.hook_log() == []


def test_run_on_a_laptop_that_knows_no_server_is_delivered_once_by_deliveries_that_are_killed(
    place: Callable[..., Place],
) -> None:
    at = place("unknown ü", logged_in=False)
    laptop, there = at.laptop, at.there
    laptop.write("tests/check.sh", "echo 1 passed\n")
    laptop("install", "claude-code", "--scope", "local")
    agent = ClaudeCode(laptop)

    told = agent.play(
        Starts(),
        Prompt("Why are we banned?"),
        ran(START),
        *(read(f"src/part{number}.py") for number in range(7)),
        ran("touch teardown.py"),
        Says(LEARNT),
        Compacts("auto"),
        ran("sh tests/check.sh"),
        Stops("Found."),
        Ends(),
    )
    assert laptop.waiting() == {"outbox compactions": 1, "outbox ghap_entries": 1, "outbox session_ends": 1}
    begun = time.monotonic()
    laptop.log_in(at.url, at.token)
    longest = 2 * (time.monotonic() - begun)
    dice = random.Random(20261128)
    for _ in range(5):
        laptop.killed(dice.uniform(0, longest), "capture", "scan")
        laptop.killed(dice.uniform(0, longest), "sync")

    (entry,) = laptop.json("ghap", "list", "--all")
    assert [one.head for one in told] == [
        ("SessionStart", f"The GHAP entry {entry['id']} is open (iteration 1)."),
        ("call 10", f"The GHAP entry {entry['id']} is resolved by its check: confirmed."),
    ]
    laptop.catch_up()
    assert laptop.waiting() == {}
    assert there.entries() == [("Fix the cache test", "confirmed", "gold")]
    assert there.calls(agent.session) == agent.ids()
    assert there.learnings() == {LEARNT: 1}
    assert there.compactions(f"claude-code-{agent.session}") == ["auto"]
    assert laptop.hook_log() == []
