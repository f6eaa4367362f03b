"""A whole run of Codex, which reports a failure by nothing but the output's text."""

from __future__ import annotations

from collections.abc import Callable

from tests.e2e.agents.codex import Codex
from tests.e2e.agents.conftest import Place
from tests.e2e.agents.steps import Compacts, Ends, Prompt, Says, Starts, Stops, ran
from tests.e2e.agents.test_claude_code import ASSESSMENT, CONTEXT, START

KNOWN = "The migrations must be squashed before a release"
LEARNT = "The root cause was that `migrate.py` runs twice, so the second run waits for a lock that the first holds."


def test_whole_run_of_codex_is_told_and_kept_as_claude_codes_is(place: Callable[..., Place]) -> None:
    at = place("migrations ü")
    laptop, there = at.laptop, at.there
    laptop.write("src/migrate.py")
    laptop.write("tests/check.sh", "echo 1 failed; exit 1\n")
    there.post("/learnings", {"type": "gotcha", "content": KNOWN, "project": laptop.project.name})
    laptop("sync")
    laptop("install", "codex")
    agent = Codex(laptop)

    told = agent.play(
        Starts(),
        Prompt("Why does src/migrate.py hang?"),
        ran(START),
        ran("cat a.toml"),
        ran("sh -c 'echo no route >&2; exit 4'"),
        ran("sh -c 'echo disk full >&2; exit 5'"),
        ran("sh -c 'echo bad magic >&2; exit 6'"),
        Says(LEARNT),
        Compacts("auto"),
        ran("touch teardown.py"),
        ran("sh tests/check.sh"),
        Stops("It is found."),
        Ends(),
    )

    (entry,) = laptop.json("ghap", "list", "--all")
    assert [one.head for one in told] == [
        ("SessionStart", CONTEXT),
        ("call 5", ASSESSMENT.format("calls", "bad magic")),
        ("SessionStart", f"The GHAP entry {entry['id']} is open (iteration 1)."),
        ("call 7", f"The GHAP entry {entry['id']} is resolved by its check: falsified."),
    ]
    assert list(laptop.task()) == [["src/migrate.py"]]
    laptop.catch_up()
    assert there.entries() == [("Fix the cache test", "falsified", "gold")]
    assert there.calls(agent.session) == agent.ids()
    assert there.findings(agent.session) == [("Error Cascade Detector", "warning")]
    assert there.learnings() == {KNOWN: 1, LEARNT: 1}
    context = f"codex-{agent.rollout.path.stem.removeprefix('rollout-')}"
    assert there.sources(LEARNT) == [(context, "main")]
    assert there.compactions(context) == ["auto"]
    assert laptop.hook_log() == []
