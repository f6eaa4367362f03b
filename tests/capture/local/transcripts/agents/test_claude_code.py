"""Claude Code's transcripts, in the formats of its versions, become messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capture.local.transcripts.agents.claude_code import ClaudeCodeReader
from capture.local.transcripts.messages import Kind, Message, Outcome, Role, ToolUse
from capture.local.transcripts.reader import Reading
from tests.support.agents.claude_transcripts import REASON, SAID, STOP, Transcript


def read(transcript: Transcript, *, limit: int = 10**9) -> Reading:
    with transcript.path.open("rb") as file:
        return ClaudeCodeReader().read(file, 0, {}, limit=limit)


def messages(transcript: Transcript) -> list[Message]:
    return read(transcript).messages


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "session.jsonl")


def test_words_of_person_and_agent_become_messages_with_all_they_carry(transcript: Transcript):
    transcript.person("please fix it")
    transcript.agent("Done.", "Really.")
    first, second = messages(transcript)
    assert (first.index, first.role, first.kind, first.text) == (1, Role.PERSON, Kind.WORDS, "please fix it")
    assert (second.index, second.role, second.text, second.model) == (2, Role.AGENT, "Done.\n\nReally.", "claude-x")
    assert (first.uuid, first.cwd, first.branch) == ("session-1", "/nowhere/shop", "main")
    assert first.time == "2026-03-01T10:00:01.001Z"
    assert transcript.path.read_bytes()[second.start : second.end].startswith(b'{"type": "assistant"')


def test_the_same_messages_come_out_read_in_one_go_or_line_by_line(transcript: Transcript):
    transcript.ran("c1", "make", "Exit code 2\nno rule", error=True)
    transcript.boundary()
    transcript.summary()
    transcript.use("c2", "Edit", {"file_path": "/nowhere/shop/a.py"})
    transcript.result("c2", "ok")
    whole = read(transcript)
    pieces: list[Message] = []
    memory: dict[str, Any] = {}
    offset = 0
    with transcript.path.open("rb") as file:
        while (reading := ClaudeCodeReader().read(file, offset, memory, limit=1)).end != offset:
            pieces += reading.messages
            offset, memory = reading.end, json.loads(json.dumps(reading.memory))
    assert pieces == whole.messages
    assert memory == whole.memory
    assert pieces[-1].results[0].use == ToolUse("c2", "Edit", "", ("a.py",))


@pytest.mark.parametrize(
    ("text", "error", "outcome", "comment"),
    [
        ("3 passed", False, Outcome.OK, ""),
        ("Exit code 1\n1 failed", True, Outcome.FAILED, ""),
        ("Error: boom", True, Outcome.FAILED, ""),
        (STOP, True, Outcome.REJECTED, ""),
        (SAID + "use pnpm", True, Outcome.REJECTED, "use pnpm"),
        (REASON + "use pnpm", True, Outcome.REJECTED, "use pnpm"),
        (SAID + "use pnpm\n\nNote: The user's next message may correct you.", True, Outcome.REJECTED, "use pnpm"),
        ("The user doesn't want to take this action right now. STOP", True, Outcome.NOT_RUN, ""),
        ("Claude requested permissions to use Bash, but you haven't granted it yet.", True, Outcome.NOT_RUN, ""),
        ("This command requires approval", True, Outcome.NOT_RUN, ""),
        ("cd was blocked. For security, Claude Code may only change directories", True, Outcome.NOT_RUN, ""),
        ("<tool_use_error>String to replace not found in file.</tool_use_error>", True, Outcome.NOT_RUN, ""),
        ("PreToolUse:Bash [guard.sh]: not on main", True, Outcome.NOT_RUN, ""),
        ("Exit code 1\nThis command requires approval of the maintainers", True, Outcome.FAILED, ""),
    ],
)
def test_a_result_is_judged_by_what_it_says(
    transcript: Transcript, text: str, error: bool, outcome: Outcome, comment: str
):
    transcript.ran("c1", "make test", text, error=error)
    result = messages(transcript)[-1].results[0]
    assert (result.outcome, result.comment) == (outcome, comment)


@pytest.mark.parametrize(
    ("command", "output", "outcome"),
    [
        ("grep -rn foo src", "", Outcome.OK),
        ("cat a | grep foo", "Exit code 1", Outcome.OK),
        ("git diff --quiet", "Exit code 1", Outcome.OK),
        ("FOO=1 diff a b", "Exit code 1\n1c1", Outcome.OK),
        ("grep foo missing", "Exit code 2\ngrep: missing: No such file", Outcome.FAILED),
        ("pytest | tail -3", "Exit code 1", Outcome.FAILED),
    ],
)
def test_exit_status_1_of_a_program_that_looks_is_no_failure(
    transcript: Transcript, command: str, output: str, outcome: Outcome
):
    transcript.ran("c1", command, output, error=True)
    assert messages(transcript)[-1].results[0].outcome == outcome


def test_a_result_is_linked_to_its_call_also_out_of_order_and_in_parallel(transcript: Transcript):
    transcript.use("c1", "Bash", {"command": "first"})
    transcript.use("c2", "Bash", {"command": "second"})
    transcript.result("c2", "two")
    transcript.result("c1", [{"type": "text", "text": "one"}, {"type": "image"}])
    transcript.result("c9", "of a call that the transcript does not hold")
    results = [message.results[0] for message in messages(transcript)[2:]]
    assert [(result.use.command if result.use else None, result.text) for result in results] == [
        ("second", "two"),
        ("first", "one"),
        (None, "of a call that the transcript does not hold"),
    ]


def test_the_first_lines_need_be_no_turns(transcript: Transcript):
    for record in (
        {"type": "queue-operation", "operation": "enqueue", "content": "hello", "sessionId": "s"},
        {"type": "last-prompt", "lastPrompt": "hello", "leafUuid": "u1"},
        {"type": "mode", "mode": "x"},
        {"type": "pr-link", "prUrl": "x"},
        {"type": "summary", "summary": "always use tabs", "leafUuid": "of another session"},
        {"type": "custom-title", "customTitle": "always use tabs"},
        {"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": {}}},
        {"type": "relocated", "relocatedCwd": "/nowhere/else"},
        {"type": "worktree-state", "worktreeSession": None},
        {"type": "content-replacement", "content": "never use tabs"},
    ):
        transcript.write(record)
    transcript.person("hello")
    assert [(message.index, message.text) for message in messages(transcript)] == [(1, "hello")]
    assert sum(read(transcript).counts.unknown.values()) == 10


def test_several_blocks_on_a_line_are_one_message_with_all_of_them(transcript: Transcript):
    blocks = [
        {"type": "thinking", "thinking": "always use tabs", "signature": "x"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "a.py"}},
        {"type": "tool_use", "id": "c2", "name": "Bash", "input": {"command": "ls"}},
        {"type": "fallback"},
        {"type": "redacted_thinking", "data": "x"},
    ]
    transcript.write(transcript.record("assistant", {"role": "assistant", "content": blocks}))
    results = [{"type": "tool_result", "tool_use_id": call, "content": call} for call in ("c1", "c2")]
    transcript.person([*results, {"type": "text", "text": "use blanks"}, {"type": "document"}])
    first, second = messages(transcript)
    assert (first.kind, first.text, [use.id for use in first.uses]) == (Kind.TOOL_USE, "Let me look.", ["c1", "c2"])
    assert (second.kind, second.role, second.text) == (Kind.TOOL_RESULT, Role.TOOL, "use blanks")
    assert [(result.use.name if result.use else "", result.text) for result in second.results] == [
        ("Read", "c1"),
        ("Bash", "c2"),
    ]


def test_one_answer_split_over_lines_with_results_between_them_is_linked(transcript: Transcript):
    for number in (1, 2):
        transcript.use(f"c{number}", "Bash", {"command": f"run {number}"}, requestId="r")
        transcript.result(f"c{number}", f"done {number}")
    texts = [(message.results[0].use, message.results[0].text) for message in messages(transcript)[1::2]]
    assert [(use.command if use else "", text) for use, text in texts] == [("run 1", "done 1"), ("run 2", "done 2")]


def test_lines_of_a_sub_agent_in_its_parents_file_have_its_name(transcript: Transcript):
    transcript.person("always use tabs", isSidechain=True, agentId="a1")
    transcript.agent("Tabs it is.", isSidechain=True, agentId="a1")
    transcript.agent("Done.", agentId="a1")
    assert [(message.role, message.text, message.agent) for message in messages(transcript)] == [
        (Role.MACHINE, "", "a1"),
        (Role.AGENT, "Tabs it is.", "a1"),
        (Role.AGENT, "Done.", ""),
    ]


def test_sub_agents_without_an_id_are_told_apart_by_the_parents_of_their_lines(transcript: Transcript):
    for uuid, parent in [("aaaaaaaa1", None), ("bbbbbbbb1", None), ("aaaaaaaa2", "aaaaaaaa1"), ("b2", "bbbbbbbb1")]:
        transcript.agent("Go.", isSidechain=True, uuid=uuid, parentUuid=parent)
    names = [message.agent for message in messages(transcript)]
    assert names == ["sidechain aaaaaaaa", "sidechain bbbbbbbb"] * 2


@pytest.mark.parametrize("tool_input", [["a", {"b": 1}], "rm -rf x", None, 7])
def test_input_of_any_shape_is_kept_until_the_stretch_ends(transcript: Transcript, tool_input: Any):
    transcript.use("c1", "Bash", tool_input)
    (message,) = messages(transcript)
    assert (message.uses[0].name, message.uses[0].command, message.uses[0].tool_input) == ("Bash", "", tool_input)
    assert "input" not in json.dumps(read(transcript).memory)


def test_interrupted_or_missing_result_is_accepted(transcript: Transcript):
    transcript.use("c1", "Bash", {"command": "sleep 99"})
    transcript.result("c1", "", toolUseResult={"stdout": "", "stderr": "", "interrupted": True})
    transcript.use("c2", "Read", {"file_path": "a"})
    transcript.write(
        transcript.record("user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c2"}]})
    )
    transcript.use("c3", "Bash", {"command": "make"})
    transcript.result("c3", "no rule", toolUseResult="Error: no rule")
    outcomes = [message.results[0].outcome for message in messages(transcript) if message.results]
    assert outcomes == [Outcome.NOT_RUN, Outcome.OK, Outcome.FAILED]


def test_a_copy_in_a_fork_has_the_uuid_of_its_original(transcript: Transcript):
    transcript.person("hello", forkedFrom={"sessionId": "s", "messageUuid": "original"})
    assert messages(transcript)[0].uuid == "original"


def test_compaction_that_a_fork_copied_is_that_of_the_original_alone(transcript: Transcript):
    forked = {"forkedFrom": {"sessionId": "s", "messageUuid": "original"}}
    transcript.boundary(**forked)
    transcript.summary(**forked)
    transcript.boundary()
    assert [message.kind for message in messages(transcript)] == [Kind.OTHER, Kind.OTHER, Kind.COMPACTION]


def test_compactions_are_marked_once_by_boundary_or_summary(transcript: Transcript):
    transcript.boundary()
    transcript.summary()
    transcript.person("on we go")
    transcript.summary()
    transcript.boundary()
    kinds = [message.kind for message in messages(transcript)]
    assert kinds == [Kind.COMPACTION, Kind.OTHER, Kind.WORDS, Kind.COMPACTION, Kind.COMPACTION]


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user"},
        {"type": "user", "message": {str(number): number for number in range(3000)}},
        {"type": "user", "message": None, "uuid": 7, "timestamp": [], "cwd": {}},
        {"type": "user", "message": {"content": [None, 3, "x", {"type": "text"}, {"type": "text", "text": 5}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "input": [1], "id": 4, "name": None}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "input": {"command": ["a", "b"]}}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": {}, "content": [[], "x"]}]}},
        {"type": "user", "message": {"content": "x"}, "origin": 5, "promptSource": [], "forkedFrom": "y"},
    ],
)
def test_an_odd_field_never_drops_a_record(transcript: Transcript, record: dict[str, Any]):
    transcript.write(record)
    transcript.person("after it")
    first, second = messages(transcript)
    assert (first.index, second.index) == (1, 2)
    assert second.text == "after it"


def test_unknown_lines_are_passed_over_and_counted(transcript: Transcript):
    for record in ({"type": "mode"}, {"type": "mode"}, {"type": ["x"]}, {"uuid": "no type"}, {"type": "system"}):
        transcript.write(record)
    transcript.raw(b"42\n{broken\n")
    counts = read(transcript).counts
    assert counts.unknown == {"mode": 2, "['x']": 1, "None": 1, "system": 1}
    assert (counts.bad_lines, counts.recovered) == (2, 0)


def test_nul_and_lone_surrogates_in_texts_are_replaced(transcript: Transcript):
    transcript.raw(b'{"type":"user","message":{"content":"a\\u0000b\\ud83dc\\u2028d"}}\n')
    assert messages(transcript)[0].text == "a\ufffdb\ufffdc\u2028d"


def test_secret_in_a_command_does_not_reach_the_memory_between_readings(transcript: Transcript):
    transcript.use("c1", "Bash", {"command": "curl -H 'Authorization: Bearer abcDEF123456ghiJKL' https://x.example"})
    assert "abcDEF123456" not in json.dumps(read(transcript).memory)


def test_the_agent_of_a_sub_agents_transcript_is_named_by_the_file_beside_it(tmp_path: Path):
    reader = ClaudeCodeReader()
    path = tmp_path / "agent-1.jsonl"
    assert (reader.agent_name(tmp_path / "s.jsonl"), reader.agent_name(path)) == ("main", "sub-agent")
    path.with_suffix(".meta.json").write_text('{"agentType": "reviewer"}')
    assert reader.agent_name(path) == "reviewer"


def touch(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return paths


def test_transcripts_of_a_session_know_each_other_and_the_folder_they_are_named_by(tmp_path: Path) -> None:
    names = (
        "s1.jsonl",
        "s1/subagents/agent-1.jsonl",
        "s1/subagents/workflows/w/agent-2.jsonl",
        "agent-3.jsonl",
        "s2.jsonl",
    )
    main, first, second, older, other = touch(tmp_path / "-work-shop", *names)
    reader = ClaudeCodeReader()

    assert [reader.main_transcript(path, "s1") for path in (first, second, older)] == [main] * 3
    assert [reader.main_transcript(path, "s1") for path in (main, other)] == [None, None]
    assert reader.main_transcript(older, "missing") is None
    assert reader.session_transcripts(main) == [first, second]
    assert reader.session_transcripts(first) == [main, second]
    assert reader.session_transcripts(other) == []
    assert {reader.slug(path) for path in (main, first, second, older)} == {"-work-shop"}
