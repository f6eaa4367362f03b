"""A command in the background counts when it has ended, with the status that is then known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from capture.local.extraction.calls.background_jobs import BackgroundJobs
from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.learning import Learning
from capture.local.transcripts.messages import Kind, Message, Outcome, Role, ToolResult, ToolUse

MISSING = "Exit code 1\nModuleNotFoundError: No module named 'shop'"
STARTED = "Command running in background with ID: b4f8b50. Output is being written to: /tmp/b4f8b50.output"
CURE = "`pytest -q` failed with “ModuleNotFoundError: No module named 'shop'”; `uv run pytest -q` worked."


class Session:
    """Calls with their results, over one reading or, after `reread`, the next one."""

    def __init__(self) -> None:
        self.index = 0
        self.extractor = IncrementalExtractor()

    def reread(self) -> None:
        self.extractor = IncrementalExtractor(json.loads(json.dumps(self.extractor.memory)))

    def call(
        self,
        name: str,
        text: str,
        outcome: Outcome = Outcome.OK,
        *,
        command: str = "",
        reread: bool = False,
        **given: Any,
    ) -> list[Learning]:
        use = ToolUse(f"call-{self.index}", name, command, tool_input=given)
        learnings = self._say(Message(self.index, Role.AGENT, Kind.TOOL_USE, uses=(use,)))
        if reread:  # the result comes with the next reading, whose calls have no input
            self.reread()
            use = ToolUse.from_dict(use.to_dict())
        result = Message(self.index, Role.TOOL, Kind.TOOL_RESULT, results=(ToolResult(use, outcome, text),))
        return learnings + self._say(result)

    def shell(self, command: str, text: str, outcome: Outcome = Outcome.OK) -> list[Learning]:
        return self.call("Bash", text, outcome, command=command)

    def _say(self, message: Message) -> list[Learning]:
        self.index += 1
        message.index = self.index
        return self.extractor.extract([message])


def contents(learnings: list[Learning]) -> list[str]:
    return [learning.content for learning in learnings]


@pytest.fixture
def session() -> Session:
    """A session in which a command failed, and another form of it runs in the background."""
    session = Session()
    session.shell("pytest -q", MISSING, Outcome.FAILED)
    assert session.shell("uv run pytest -q", STARTED) == []
    return session


@pytest.mark.parametrize("reread", [False, True], ids=["one reading", "result in the next reading"])
@pytest.mark.parametrize(("tool", "key"), [("BashOutput", "bash_id"), ("TaskOutput", "task_id")])
def test_command_that_ended_well_is_the_cure(session: Session, tool: str, key: str, reread: bool) -> None:
    given: dict[str, Any] = {key: "b4f8b50"}
    running = session.call(tool, "<status>running</status>\n\n<stdout>\n.\n</stdout>", **given)
    ended = session.call(
        tool,
        "<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\n4 passed\n</stdout>",
        reread=reread,
        **given,
    )

    assert (contents(running), contents(ended)) == ([], [CURE])


def test_command_that_failed_later_is_no_cure(session: Session) -> None:
    ended = session.call(
        "BashOutput", "<status>failed</status>\n\n<exit_code>1</exit_code>\n\n<stderr>boom</stderr>", bash_id="b4f8b50"
    )

    assert ended == []


def test_notice_of_its_end_settles_it(session: Session) -> None:
    notice = ToolResult(
        ToolUse("", "TaskOutput", tool_input={"task_id": "b4f8b50"}), Outcome.OK, "<exit_code>0</exit_code>"
    )
    learnings = session.extractor.extract([Message(9, Role.MACHINE, Kind.OTHER, results=(notice,))])

    assert contents(learnings) == [CURE]


def test_job_of_another_id_settles_nothing(session: Session) -> None:
    assert session.call("BashOutput", "<exit_code>0</exit_code>", bash_id="c1") == []


def test_session_of_codex_ends_with_the_call_that_says_so() -> None:
    session = Session()
    session.call("exec_command", MISSING, Outcome.FAILED, command="pytest -q")
    started = "Chunk ID: 1\nWall time: 1 s\nProcess running with session ID 7\nOutput:\n"
    calls = [session.call("exec_command", started, command="uv run pytest -q")]
    calls.append(session.call("write_stdin", started, session_id=7, chars=""))
    calls.append(session.call("write_stdin", "4 passed", session_id=7, chars=""))

    assert [contents(learnings) for learnings in calls] == [[], [], [CURE]]


def test_number_of_jobs_is_bounded() -> None:
    jobs = BackgroundJobs({})
    for number in range(50):
        use = ToolUse(f"c{number}", "Bash", "make")
        assert jobs.settle(ToolResult(use, Outcome.OK, f"Command running in background with ID: b{number}")) is None

    assert list(jobs.memory()["jobs"]) == [f"b{number}" for number in range(30, 50)]


def test_output_that_only_mentions_a_job_is_its_own_result() -> None:
    result = ToolResult(ToolUse("c", "Bash", "cat log"), Outcome.OK, "log: Command running in background with ID: b1")

    assert BackgroundJobs({}).settle(result) is result
