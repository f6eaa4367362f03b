"""Hooks that are killed, as agents and people kill them: at any moment."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable

from tests.e2e.agents.claude_code import ClaudeCode
from tests.e2e.agents.conftest import Place
from tests.e2e.agents.steps import Ends, Prompt, Starts, Step, Stops, ran, read
from tests.e2e.agents.test_claude_code import START

CHECK = ran("sh tests/check.sh")
ENTRIES = 2


class Killer:
    """Kills six of ten hooks while it is on, at a moment of the time that one takes."""

    def __init__(self, seed: int) -> None:
        self.on = False
        self.longest = 0.0
        self._dice = random.Random(seed)

    def __call__(self) -> float | None:
        return self._dice.uniform(0, self.longest) if self.on and self._dice.random() < 0.6 else None


def calls_of(number: int) -> list[Step]:
    """Sixteen calls, four pairs of which run at the same time."""
    paths = [f"src/file{number}_{place}.py" for place in range(12)]
    return [read(path) if place % 3 else ran(f"cat {path}", "ls tests") for place, path in enumerate(paths)]


def test_hooks_killed_at_any_moment_lose_at_most_their_own_call_and_spoil_nothing(place: Callable[..., Place]) -> None:
    at = place("killed ü")
    laptop, there = at.laptop, at.there
    laptop.write("tests/check.sh", "echo 1 passed\n")
    laptop("install", "claude-code")
    killer = Killer(20261128)
    agent = ClaudeCode(laptop, kill=killer)
    agent.play(Starts(), Prompt("Fix it."), read("src/first.py"))
    begun = time.monotonic()
    agent.play(read("src/file.py"))
    killer.longest = time.monotonic() - begun

    for number in range(ENTRIES):
        agent.play(ran(START))
        killer.on = True
        agent.play(*calls_of(number), Stops("So far."), Prompt("Go on."), CHECK)
        killer.on = False
        agent.play(ran("touch src/changed.py"), CHECK)  # a check decides after a change
    killer.on = True
    agent.play(Stops("Done."), Ends(), Starts("resume"), Ends())
    killer.on = False

    killed = {one.call for one in agent.fired if one.ran.killed and one.call}
    assert len(killed) > 5
    assert ClaudeCode(laptop).play(Starts(), Ends()) == []
    laptop.catch_up()
    recorded = Counter(there.calls(agent.session))
    assert set(recorded.values()) == {1}
    assert sorted(set(recorded) | killed) == sorted(agent.ids())
    assert there.entries() == [("Fix the cache test", "confirmed", "gold")] * ENTRIES
    assert [path.name for path in laptop.journal.rglob("*corrupted*")] == []
    assert laptop.hook_log() == []
