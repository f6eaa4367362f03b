"""Sub-agents that work while the main agent does: their calls, findings and transcripts are their own."""

from __future__ import annotations

from collections.abc import Callable

from tests.e2e.agents.claude_code import ClaudeCode
from tests.e2e.agents.conftest import Place
from tests.e2e.agents.steps import Compacts, Delegates, Ends, Prompt, Returns, Says, Starts, Stops, Together, ran, read
from tests.e2e.agents.test_claude_code import ASSESSMENT, START

OF_MAIN = "We decided to keep `queue.py` in one process because two writers corrupt `queue.db`."
OF_SUB = "The root cause was that `worker.py` opens `queue.db` read-only, so each write fails with error 8."


def test_sub_agents_beside_the_main_agent_are_told_apart_in_calls_findings_and_transcripts(
    place: Callable[..., Place],
) -> None:
    at = place("queue ü")
    laptop, there = at.laptop, at.there
    laptop.write("tests/check.sh", "echo 1 passed\n")
    laptop("install", "claude-code")
    agent = ClaudeCode(laptop)

    told = agent.play(
        Starts(),
        Prompt("The queue loses jobs, find out why."),
        ran(START),
        Delegates("a1", "Look at the worker"),
        Delegates("a2", "Look at the tests"),
        Together((ran("cat a.toml"), ran("cat b.toml", agent="a1"), read("c.py", agent="a2"))),
        Together((ran("sh -c 'echo peer left >&2; exit 3'"), ran("sh -c 'echo full >&2; exit 4'", agent="a1"))),
        Together((ran("ls /no/1"), ran("sh -c 'echo no route >&2; exit 6'", agent="a1"), read("d.py", agent="a2"))),
        ran("touch main.py"),
        Together((ran("ls /no/2"), ran("sh -c 'echo bad magic >&2; exit 9'", agent="a1"))),
        ran("sh tests/check.sh", agent="a2"),
        Says(OF_SUB, agent="a1"),
        Compacts("auto", replays=True, agent="a1"),
        Returns("a1", "The worker is to blame."),
        Returns("a2", "The tests are fine."),
        Says(OF_MAIN),
        ran("sh tests/check.sh"),
        Stops("It is found."),
        Ends(),
    )

    (entry,) = laptop.json("ghap", "list", "--all")
    assert [one.head for one in told] == [
        ("a1 call 4", ASSESSMENT.format("calls", "bad magic")),
        ("call 7", f"The GHAP entry {entry['id']} is resolved by its check: confirmed."),
    ]
    laptop.catch_up()
    assert there.sessions() == [(agent.session, "", 7), (agent.session, "a1", 4), (agent.session, "a2", 3)]
    assert {name: sorted(there.calls(agent.session, name)) for name in ("", "a1", "a2")} == {
        name: sorted(agent.ids(name)) for name in ("", "a1", "a2")
    }
    assert {name: there.findings(agent.session, name) for name in ("", "a1", "a2")} == {
        "": [("Error Cascade Detector", "info")],
        "a1": [("Error Cascade Detector", "warning")],
        "a2": [],
    }
    assert there.entries() == [("Fix the cache test", "confirmed", "gold")]
    assert there.learnings() == {OF_MAIN: 1, OF_SUB: 1}
    context = f"claude-code-{agent.session}"
    assert there.sources(OF_MAIN) == [(context, "main")]
    assert there.sources(OF_SUB) == [(f"{context}-agent-a1", "Explore")]
    assert {name: there.compactions(f"{context}{name}") for name in ("", "-agent-a1")} == {
        "": [],
        "-agent-a1": ["auto"],
    }
    assert laptop.hook_log() == []
