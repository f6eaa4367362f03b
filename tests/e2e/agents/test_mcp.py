"""The tools and the hooks in one session: an entry that the one begins is the other's too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mcp import Client, StdioServerParameters

from tests.e2e.agents.claude_code import ClaudeCode
from tests.e2e.agents.conftest import Place
from tests.e2e.agents.laptop import Laptop
from tests.e2e.agents.steps import Calls, Ends, Mcp, Prompt, Starts, Stops, read
from tests.support.agents.mcp_agent import LIMIT, Agent, connected

ENTRY = {
    "domain": "debugging",
    "strategy": "read-the-error",
    "goal": "Stop the export from hanging",
    "hypothesis": "It waits for a lock",
    "action": "Take the lock later",
    "prediction": "The export ends within a minute",
}
END = {"status": "confirmed", "result": "It ends", "lesson": "Asking who holds the lock"}


@contextmanager
def tools(laptop: Laptop) -> Iterator[Agent]:
    """The server that the agent's settings name, with the official SDK's client."""
    registered = json.loads((laptop.home / ".claude.json").read_text())["mcpServers"]["memoryserver"]
    parameters = StdioServerParameters(
        command=registered["command"], args=registered["args"], env=laptop.environment, cwd=laptop.project
    )
    with connected(Client(parameters, read_timeout_seconds=LIMIT)) as agent:
        yield agent


def test_entry_begun_by_a_tool_is_asked_about_by_the_hooks_and_resolved_by_a_tool_once(
    place: Callable[..., Place],
) -> None:
    at = place("export ü")
    laptop, there = at.laptop, at.there
    laptop("install", "claude-code")

    with tools(laptop) as tool:
        agent = ClaudeCode(laptop, mcp=tool)
        told = agent.play(
            Starts(),
            Prompt("The export hangs."),
            Calls((Mcp("start_ghap", ENTRY),)),
            *(read(f"src/part{number}.py") for number in range(10)),
            Calls((Mcp("trajectory_status", {}),)),
            Calls((Mcp("resolve_ghap", END),)),
            Stops("It ends."),
            Ends(),
        )
        laptop.catch_up()
        found = tool("search_memory", query="export hanging")

    (entry,) = laptop.json("ghap", "list", "--all")
    assert [one.head for one in told] == [("call 11", f"GHAP check-in: the entry {entry['id']} is open.")]
    laptop.catch_up()
    assert there.entries() == [("Stop the export from hanging", "confirmed", "silver")]
    assert there.calls(agent.session) == agent.ids()
    assert len(agent.ids()) == 13
    assert ENTRY["goal"] in found
    assert laptop.hook_log() == []
