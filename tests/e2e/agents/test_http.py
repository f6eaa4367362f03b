"""An agent whose hooks post to the server, on a laptop with nothing else of ours."""

from __future__ import annotations

from collections.abc import Callable

from tests.e2e.agents.claude_code import ClaudeCode
from tests.e2e.agents.conftest import Place
from tests.e2e.agents.steps import Compacts, Delegates, Ends, Prompt, Returns, Starts, Stops, ran
from tests.e2e.agents.test_claude_code import ASSESSMENT, CONTEXT

KNOWN = "The scanner must be warmed up before the first page"
SAID = "We use pnpm in this repository, never npm."
LEARNT = "The root cause was that `scan.py` reads the page twice, so the second read finds an empty feeder."
OF_SUB = "The root cause was that `feeder.py` counts from 1, so the last page of 40 is never fed."


def test_run_over_http_alone_is_told_its_findings_and_teaches_by_prompts_and_last_messages(
    place: Callable[..., Place],
) -> None:
    at = place("scanner ü")
    laptop, there = at.laptop, at.there
    there.post("/learnings", {"type": "gotcha", "content": KNOWN, "project": laptop.project.name})
    laptop("install", "claude-code", "--mode", "http", "--scope", "project", "--url", at.url)
    agent = ClaudeCode(laptop, MEMORYSERVER_TOKEN=at.token)

    told = agent.play(
        Starts(),
        Prompt(SAID),
        ran("cat a.toml"),
        ran("ls"),
        ran("cat b.toml"),
        ran("sh -c 'echo no route >&2; exit 4'"),
        ran("sh -c 'echo disk full >&2; exit 5'"),
        Delegates("a1", "Look at the feeder"),
        ran("cat c.toml", agent="a1"),
        Returns("a1", OF_SUB),
        ran("sh -c 'echo bad magic >&2; exit 6'"),
        Compacts("manual"),
        Prompt("<task-notification>We use yarn in this repository.</task-notification>", machine=True),
        Stops(LEARNT),
        Ends(),
    )

    assert [one.head for one in told] == [
        ("UserPromptSubmit", CONTEXT),
        ("call 6", ASSESSMENT.format("calls", "bad magic")),
    ]
    assert KNOWN in told[0].text
    assert sorted(there.calls(agent.session)) == sorted(agent.ids())
    assert there.calls(agent.session, "a1") == agent.ids("a1")
    assert there.learnings() == {KNOWN: 1, SAID: 1, LEARNT: 1, OF_SUB: 1}
    assert there.compactions(f"claude-code-{agent.session}") == ["manual"]
    assert not (laptop.memory_home / "trajectory").exists()
