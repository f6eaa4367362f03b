"""The plugin, alone and beside the hooks of the settings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.e2e.agents.claude_code import ClaudeCode, hooks_of
from tests.e2e.agents.conftest import Place
from tests.e2e.agents.steps import Ends, Prompt, Starts, ran, read
from tests.e2e.agents.test_claude_code import START
from tests.support.processes.server_process import ROOT

PLUGIN = ROOT / "deploy/claude-code-plugin"


@pytest.mark.parametrize("scope", ["", "user"])
def test_settings_and_plugin_together_record_and_tell_once(place: Callable[..., Place], scope: str) -> None:
    at = place(f"plugged-{scope} ü")
    laptop = at.laptop
    laptop.write("tests/check.sh", "echo 1 passed\n")
    if scope:
        laptop("install", "claude-code", "--scope", scope, "--no-mcp")
    agent = ClaudeCode(laptop, hooks_of(laptop, PLUGIN))

    told = agent.play(
        Starts(),
        Prompt("Go on."),
        ran(START),
        read(*(f"src/part{number}.py" for number in range(5))),  # counted twice they would bring the question
        ran("touch teardown.py"),
        ran("sh tests/check.sh"),
        Ends(),
    )

    (entry,) = laptop.json("ghap", "list", "--all")
    assert [one.head for one in told] == [
        ("call 8", f"The GHAP entry {entry['id']} is resolved by its check: confirmed."),
    ]
    laptop("sync")
    assert sorted(at.there.calls(agent.session)) == sorted(agent.ids())
    assert [one.event for one in agent.fired].count("PostToolUse") == (16 if scope else 8)
    assert laptop.hook_log() == []
