"""The journal's active entry while an agent works: the check-in question, and the check that decides the entry."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ghap.local import ConfidenceTier, Domain, GHAPEntry, ObservationCollector, OutcomeStatus, Strategy
from memorycli.main import main
from tests.support.agents.hook_process import Agent, agent_in

CHECK = "pytest tests/test_cache.py"
QUESTION = "GHAP check-in: the entry"
ASKED = "is open, and tests or a build ran."


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    yield from agent_in(tmp_path, monkeypatch)


def on_journal(agent: Agent, action: Callable[[ObservationCollector], Awaitable[Any]]) -> Any:
    async def act() -> Any:
        return await action(ObservationCollector(agent.journal))

    return asyncio.run(act())


def begin(agent: Agent, check: str | None = CHECK, **texts: str) -> GHAPEntry:
    given = {"goal": "Fix the cache", "hypothesis": "state leaks", "action": "clear it", "prediction": "it passes"}

    async def create(journal: ObservationCollector) -> GHAPEntry:
        return await journal.create_ghap(Domain.DEBUGGING, Strategy.READ_THE_ERROR, **(given | texts), check=check)

    entry: GHAPEntry = on_journal(agent, create)
    return entry


def current(agent: Agent) -> GHAPEntry | None:
    found: GHAPEntry | None = on_journal(agent, lambda journal: journal.get_current())
    return found


def resolved(agent: Agent) -> list[GHAPEntry]:
    found: list[GHAPEntry] = on_journal(agent, lambda journal: journal.get_all_entries())
    return found


def questions(agent: Agent, calls: int, first: int = 0, **fields: Any) -> list[int]:
    """At which of so many harmless calls the check-in question came."""
    said = [agent.ran(f"cat file{first + number}", f"x{first + number}", **fields) for number in range(calls)]
    return [first + number for number, text in enumerate(said) if QUESTION in text]


def test_question_comes_after_ten_calls_once_in_each_period(agent: Agent) -> None:
    begin(agent)
    assert questions(agent, 31) == [9, 19, 29]
    assert (agent.journal / ".tool_count").read_text() == "1"


def test_question_says_what_is_open_and_how_to_go_on(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_CHECK_IN_CALLS", "1")
    entry = begin(agent, goal="Fix <system-reminder> \x1b[31mit", hypothesis="h" * 9000)
    said = agent.ran("ls")
    lines = said.split("\n")
    assert lines[:2] == [f"GHAP check-in: the entry {entry.id} is open.", "Goal: Fix ‹system-reminder> it"]
    assert lines[2] == "Hypothesis: " + "h" * 299 + "…"
    assert lines[3:5] == ["Prediction: it passes", f"Check: {CHECK}"]
    assert "memory ghap resolve confirmed|falsified" in said


def test_question_is_put_whole_once_an_iteration_and_then_in_one_line(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_CHECK_IN_CALLS", "1")
    entry = begin(agent)
    lines = [len(agent.ran(f"cat {number}").split("\n")) for number in range(3)]
    on_journal(agent, lambda journal: journal.update_ghap(hypothesis="the clock"))
    lines += [len(agent.ran(f"head {number}").split("\n")) for number in range(2)]
    assert lines == [8, 1, 1, 8, 1]
    again = agent.ran("tail 9")
    assert again.startswith(f"GHAP check-in: the entry {entry.id} is open still. If it is decided: resolve_ghap")


def test_calls_of_the_memory_itself_do_not_count(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_CHECK_IN_CALLS", "2")
    begin(agent)
    assert agent.ran("ls") == ""
    for query in ("x", "y"):
        call = {"tool_name": "mcp__memoryserver__search_memory", "tool_input": {"query": query}, "tool_response": []}
        assert agent.said("PostToolUse", **call, tool_use_id=query) == ""
    assert agent.ran("memory search x") == ""
    assert QUESTION in agent.ran("pwd")


@pytest.mark.parametrize(("frequency", "expected"), [("3", [2, 5, 8]), ("0", []), ("no number", [9])])
def test_number_of_calls_is_a_setting(
    agent: Agent, frequency: str, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_CHECK_IN_CALLS", frequency)
    begin(agent)
    assert questions(agent, 10) == expected


def test_calls_before_an_entry_neither_ask_nor_hasten_its_question(agent: Agent) -> None:
    agent.journal.mkdir(parents=True)
    assert questions(agent, 25) == []
    begin(agent)
    assert questions(agent, 10, first=30) == [39]


def test_hooks_at_the_same_time_ask_once(agent: Agent) -> None:
    begin(agent)
    assert questions(agent, 2) == []
    call = agent.event("PostToolUse", tool_name="Read", tool_input={"file_path": "a"}, tool_response={"x": 1})
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda n: agent.process(call | {"tool_use_id": f"p{n}"}), range(8)))
    assert {one.returncode for one in done} == {0}
    assert sum(QUESTION.encode() in one.stdout for one in done) == 1


def test_sub_agent_is_neither_counted_nor_asked_nor_does_it_decide(agent: Agent) -> None:
    begin(agent)
    agent.ran("ls")
    assert questions(agent, 15, agent_id="a1") == []
    assert agent.ran(CHECK, agent_id="a1") == ""
    assert current(agent) is not None
    assert questions(agent, 9, first=50) == [58]


def test_sub_agent_that_began_the_entry_is_asked_and_decides(agent: Agent) -> None:
    entry = begin(agent)
    assert agent.ran('memory ghap start --goal "x"', "started ghap_1", agent_id="a1") == ""
    assert agent.edited(agent_id="a1") == ""
    assert questions(agent, 9, agent_id="a1") == [8]
    assert questions(agent, 12, first=60, agent_id="a2") == []
    assert "confirmed" in agent.ran(CHECK, agent_id="a1")
    assert [one.id for one in resolved(agent)] == [entry.id]


def test_check_that_passes_confirms_the_entry(agent: Agent) -> None:
    entry = begin(agent)
    agent.edited()
    said = agent.ran(f"cd {agent.project} && {CHECK} -q 2>&1", "..\n2 passed in 0.10s")
    assert said.split("\n")[0] == f"The GHAP entry {entry.id} is resolved by its check: confirmed."
    (found,) = resolved(agent)
    assert found.outcome is not None
    assert (found.outcome.status, found.outcome.auto_captured) == (OutcomeStatus.CONFIRMED, True)
    assert found.confidence_tier is ConfidenceTier.GOLD
    assert found.outcome.result == (
        f"2 passed in 0.10s\n`{CHECK}` ended with exit status 0.\n\n```\n..\n2 passed in 0.10s\n```"
    )
    assert current(agent) is None
    assert agent.ran(CHECK) == ""


def test_check_that_fails_falsifies_the_entry_and_amend_says_why(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = begin(agent)
    agent.edited()
    said = agent.ran(CHECK, "E  assert 1 == 2\n1 failed in 0.10s", status=1)
    assert f"{entry.id} is resolved by its check: falsified." in said
    assert "memory ghap amend" in said
    assert main(["ghap", "amend", "--surprise", "it fails alone", "--root-cause", "Timing Issue", "--cause", "x"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"amended {entry.id}"
    (found,) = resolved(agent)
    assert (found.outcome and found.outcome.status, found.surprise) == (OutcomeStatus.FALSIFIED, "it fails alone")
    assert found.root_cause is not None
    assert found.root_cause.category == "timing-issue"
    assert (found.confidence_tier, found.outcome and found.outcome.auto_captured) == (ConfidenceTier.GOLD, True)


def test_what_the_check_printed_is_redacted_and_bounded(agent: Agent) -> None:
    begin(agent)
    agent.edited()
    agent.ran(CHECK, "x" * 50_000 + "\ntoken ghp_" + "a1B2" * 9 + "\n1 failed", status=1)
    (found,) = resolved(agent)
    assert found.outcome is not None
    assert len(found.outcome.result) < 2_600
    assert found.outcome.result.endswith("token [redacted:github-token]\n1 failed\n```")


def test_hooks_at_the_same_time_resolve_once(agent: Agent) -> None:
    begin(agent)
    agent.edited()
    call = agent.event("PostToolUse", tool_name="Bash", tool_input={"command": CHECK}, tool_response={"stdout": "ok"})
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda n: agent.process(call | {"tool_use_id": f"p{n}"}), range(6)))
    assert {(one.returncode, one.stderr) for one in done} == {(0, b"")}
    assert sum(b"confirmed" in one.stdout for one in done) == 1
    assert len((agent.journal / "session_entries.jsonl").read_text().split("\n")) == 2


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (f"{CHECK} | tail -5", {}),
        (f"{CHECK}; echo done", {}),
        (f"{CHECK} || true", {}),
        (f"{CHECK} &", {}),
        (CHECK, {"tool_response": {"stdout": "", "interrupted": True}}),
        (CHECK, {"tool_response": {"stdout": "", "backgroundTaskId": "b1"}}),
        (CHECK, {"tool_response": {"stdout": "x", "returnCodeInterpretation": "No matches found"}}),
        (CHECK, {"tool_input": {"command": CHECK, "run_in_background": True}}),
        (CHECK, {"status": 2}),
        (CHECK, {"status": 127}),
        (CHECK, {"status": 137}),
        (f"make && {CHECK}", {"status": 1}),
    ],
)
def test_check_whose_result_cannot_be_told_only_puts_the_question(
    agent: Agent, command: str, fields: dict[str, Any]
) -> None:
    entry = begin(agent)
    said = agent.ran(command, **fields)
    assert said.startswith(f"The check of the GHAP entry {entry.id} ran, but its exit status cannot be told")
    assert current(agent) == entry


def test_check_that_was_turned_down_or_interrupted_decides_nothing(agent: Agent) -> None:
    entry = begin(agent)
    call = {"tool_name": "Bash", "tool_input": {"command": CHECK}}
    turned_down = "The user doesn't want to proceed with this tool use."
    given: list[dict[str, Any]] = [{"error": turned_down}, {"error": "Exit code 1", "is_interrupt": True}]
    for number, fields in enumerate(given):
        assert "cannot be told" in agent.said("PostToolUseFailure", **call, tool_use_id=f"t{number}", **fields)
    assert current(agent) == entry


@pytest.mark.parametrize("command", ["pytest", f"{CHECK}::test_one", "pytest tests", f"{CHECK} -k fast", "make test"])
def test_other_test_run_only_puts_the_question_once(agent: Agent, command: str) -> None:
    entry = begin(agent)
    said = agent.ran(command, "FAILED tests/test_cache.py::test_one - assert\n1 failed, 3 passed in 0.10s", status=1)
    assert said.startswith(f"The GHAP entry {entry.id} {ASKED}\nPrediction: it passes")
    assert "1 failed, 3 passed in 0.10s" in said
    assert agent.ran(command, "4 passed in 0.20s") == ""
    on_journal(agent, lambda journal: journal.update_ghap(hypothesis="the clock"))
    assert ASKED in agent.ran(command, "4 passed in 0.30s")
    assert resolved(agent) == []


def test_run_of_something_else_puts_no_question(agent: Agent) -> None:
    begin(agent, check=None)
    assert agent.ran("grep -rn failed .", "a.py: 3 failed in 0.10s") == ""
    assert agent.ran("git status", "clean") == ""
    assert ASKED in agent.ran("./run-all.sh", "3 failed, 1 passed in 0.10s", status=1)


def test_codex_says_the_status_in_the_output(agent: Agent) -> None:
    entry = begin(agent)
    agent.edited()
    call: dict[str, Any] = {"tool_name": "Bash", "turn_id": "t1", "tool_input": {"command": CHECK}}
    unsure = agent.said("PostToolUse", **call, tool_use_id="c1", tool_response="1 passed in 0.1s")
    assert "cannot be told" in unsure
    output = "Chunk ID: a1\nWall time: 1.2 seconds\nProcess exited with code 1\nOutput:\nProcess exited with code 0\nF"
    said = agent.said("PostToolUse", **call, tool_use_id="c2", tool_response=output)
    assert f"{entry.id} is resolved by its check: falsified." in said


def test_damaged_entry_is_no_entry_and_stays_for_the_journal_to_repair(agent: Agent) -> None:
    agent.journal.mkdir(parents=True)
    for content in (b"{", b"[1]", b'{"id": 7}', b'{"id": "x", "check": "ls"}', b"\xff\xfe", b'{"a":' * 50_000):
        (agent.journal / "current_ghap.json").write_bytes(content)
        (agent.journal / ".hook.json").write_bytes(content)
        agent.edited()
        agent.ran("ls", str(len(content)))
        assert (agent.journal / "current_ghap.json").exists() is (b'"check"' not in content)


def test_answer_holds_the_question_and_the_assessment(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_CHECK_IN_CALLS", "3")
    begin(agent)
    said = [agent.ran("deploy", "no such host", status=2) for _ in range(3)]
    assert said[:2] == ["", ""]
    question, _, assessment = said[2].partition("\n\nAutomated check")
    assert question.startswith(QUESTION)
    assert "failed 3 times" in assessment


def test_show_prints_the_check_and_unknown_fields_stay(agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    entry = begin(agent)
    agent.edited()
    path = agent.journal / "current_ghap.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"from_later": 1}))
    assert main(["ghap", "show"]) == 0
    assert f"Check       {CHECK}\n" in capsys.readouterr().out
    agent.ran(CHECK)
    assert [(one.id, one.check, one.extra) for one in resolved(agent)] == [(entry.id, CHECK, {"from_later": 1})]
