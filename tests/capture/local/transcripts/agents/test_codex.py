"""Codex's transcripts become messages: each once, people's words without the text added around them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capture.local.transcripts import discovery
from capture.local.transcripts.agents.codex import CodexReader
from capture.local.transcripts.messages import Kind, Message, Outcome, Role
from capture.local.transcripts.reader import Reading
from tests.support.agents.codex_rollouts import Rollout
from tests.support.laptops.capture_laptop import TEN, Laptop, cause


@pytest.fixture
def rollout(tmp_path: Path) -> Rollout:
    return Rollout(tmp_path / "sessions" / "2026" / "01" / "02")


def read(rollout: Rollout) -> Reading:
    with CodexReader().open(rollout.path) as file:
        return CodexReader().read(file, 0, {}, limit=10**9)


def messages(rollout: Rollout) -> list[Message]:
    return read(rollout).messages


def words(rollout: Rollout) -> list[tuple[str, str]]:
    return [(str(message.role), message.text) for message in messages(rollout) if message.text]


def test_words_in_both_layers_are_one_message_with_all_its_fields(rollout: Rollout):
    rollout.begin()
    rollout.person("please fix it")
    rollout.agent("Done.")
    first, second = messages(rollout)
    assert (first.index, first.role, first.kind, first.text) == (1, Role.PERSON, Kind.WORDS, "please fix it")
    assert (second.index, second.role, second.text, second.model) == (2, Role.AGENT, "Done.", "gpt-x")
    assert (first.cwd, first.branch, first.session) == ("/nowhere/shop", "main", rollout.thread)
    assert first.time == "2026-01-02T03:00:02.000Z"
    assert b'"user_message"' in rollout.path.read_bytes()[first.start : first.end]


def test_words_repeated_by_a_person_are_messages_as_often_as_they_were_said(rollout: Rollout):
    rollout.begin()
    rollout.event("user_message", message="yes")
    rollout.event("user_message", message="yes")
    rollout.said("user", "yes")
    rollout.said("user", "yes")
    assert words(rollout) == [("person", "yes"), ("person", "yes")]


@pytest.mark.parametrize("layer", ["event", "item"])
def test_words_in_only_one_layer_are_read(rollout: Rollout, layer: str):
    rollout.begin()
    if layer == "event":
        rollout.event("user_message", message="use tabs")
        rollout.event("agent_message", message="Tabs it is.")
    else:
        rollout.said("user", "use tabs")
        rollout.said("assistant", "Tabs it is.")
    assert words(rollout) == [("person", "use tabs"), ("agent", "Tabs it is.")]


@pytest.mark.parametrize(
    "injected",
    [
        "# AGENTS.md instructions for /nowhere/shop\n\n<INSTRUCTIONS>\nalways use tabs\n</INSTRUCTIONS>",
        "<environment_context>\n  <cwd>/nowhere/shop</cwd>\n</environment_context>",
        "<user_instructions>\nalways use tabs\n</user_instructions>",
        "<turn_aborted>the user interrupted</turn_aborted>",
        "<skill>\nalways use tabs",
        "<image name=[Image #1]>",
    ],
)
def test_injected_context_is_nobodys_words(rollout: Rollout, injected: str):
    rollout.begin()
    rollout.said("user", injected)
    rollout.said("developer", "always use blanks")
    (message,) = messages(rollout)
    assert (message.role, message.kind, message.text) == (Role.MACHINE, Kind.OTHER, "")


def test_of_a_prompt_with_an_editors_context_the_request_is_the_persons(rollout: Rollout):
    rollout.begin()
    rollout.person("# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nuse tabs\n")
    assert words(rollout) == [("person", "use tabs")]


@pytest.mark.parametrize(
    ("output", "outcome", "text"),
    [
        ("./alpha.txt", Outcome.OK, "./alpha.txt"),
        ([{"type": "output_text", "text": "Done!"}], Outcome.OK, "Done!"),
        ({"content": "fine", "success": True}, Outcome.OK, "fine"),
        ({"content": "boom", "success": False}, Outcome.FAILED, "boom"),
        ("Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nok\n", Outcome.OK, "ok"),
        ("Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nboom\n", Outcome.FAILED, "Exit code 2\nboom"),
        ("Exit code: 1\nWall time: 1 seconds\nOutput:\nboom", Outcome.FAILED, "Exit code 1\nboom"),
        (json.dumps({"output": "boom", "metadata": {"exit_code": 2}}), Outcome.FAILED, "Exit code 2\nboom"),
        (json.dumps({"output": "ok", "metadata": {"exit_code": 0}}), Outcome.OK, "ok"),
        ("Process running with session ID 7\nOutput:\n", Outcome.OK, "Process running with session ID 7\nOutput:"),
        ("exec command rejected by user", Outcome.REJECTED, ""),
        ("aborted by user after 3.1s", Outcome.NOT_RUN, "aborted by user after 3.1s"),
        (
            "apply_patch verification failed: no such line",
            Outcome.FAILED,
            "apply_patch verification failed: no such line",
        ),
        ("unsupported call: foo", Outcome.NOT_RUN, "unsupported call: foo"),
        (
            "a\nb\nc\nd\ne\nf\ng\nProcess exited with code 1",
            Outcome.OK,
            "a\nb\nc\nd\ne\nf\ng\nProcess exited with code 1",
        ),
        (None, Outcome.OK, ""),
        ([3, None, {"text": 5}], Outcome.OK, ""),
    ],
)
def test_a_result_is_judged_by_what_its_output_says(rollout: Rollout, output: Any, outcome: Outcome, text: str):
    rollout.begin()
    rollout.ran("c1", "make test", output)
    result = messages(rollout)[-1].results[0]
    assert (result.outcome, result.text) == (outcome, text)
    assert result.use is not None
    assert result.use.command == "make test"


def test_exit_status_1_of_a_program_that_looks_is_no_failure(rollout: Rollout):
    rollout.ran("c1", "rg foo src", "Process exited with code 1\nOutput:\n")
    assert messages(rollout)[-1].results[0].outcome == Outcome.OK


def test_calls_of_every_kind_are_read(rollout: Rollout):
    rollout.begin()
    patch = "*** Begin Patch\n*** Add File: /nowhere/shop/a.py\n+x\n*** Update File: b.py\n*** End Patch"
    rollout.item("custom_tool_call", name="apply_patch", input=patch, call_id="c1")
    rollout.item("function_call", name="shell", arguments='{"command": ["bash", "-lc", "ls -a"]}', call_id="c2")
    rollout.item("local_shell_call", call_id="c3", action={"type": "exec", "command": ["ls", "src"]})
    rollout.item("function_call", name="nul\x00", arguments="not JSON", call_id="c4")
    rollout.item("function_call", name="mcp__x__y", arguments="[1]", call_id="c5")
    uses = [use for message in messages(rollout) for use in message.uses]
    assert [(use.name, use.command, use.files) for use in uses] == [
        ("apply_patch", "", ("a.py", "b.py")),
        ("shell", "ls -a", ()),
        ("local_shell", "ls src", ()),
        ("nul\ufffd", "", ()),
        ("mcp__x__y", "", ()),
    ]


def test_the_same_messages_come_out_read_in_one_go_or_line_by_line(rollout: Rollout):
    rollout.begin()
    rollout.person("fix it")
    rollout.ran("c1", "make", "Exit code: 2\nOutput:\nno rule")
    rollout.write("compacted", {"message": "", "replacement_history": []})
    rollout.event("context_compacted")
    rollout.agent("Done.")
    whole = read(rollout)
    pieces: list[Message] = []
    memory: dict[str, Any] = {}
    offset = 0
    with rollout.path.open("rb") as file:
        while (reading := CodexReader().read(file, offset, memory, limit=1)).end != offset:
            pieces += reading.messages
            offset, memory = reading.end, json.loads(json.dumps(reading.memory))
    assert (pieces, memory) == (whole.messages, whole.memory)


def test_compaction_in_two_lines_is_counted_once_and_its_history_is_not_read_again(rollout: Rollout):
    rollout.begin()
    rollout.person("always use tabs")
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "always use tabs"}]}]
    for _ in range(2):
        rollout.write("compacted", {"message": "a summary", "replacement_history": history})
        rollout.event("context_compacted")
        rollout.agent("On we go.")
    kinds = [message.kind for message in messages(rollout)]
    assert kinds == [Kind.WORDS, Kind.COMPACTION, Kind.WORDS, Kind.COMPACTION, Kind.WORDS]


def test_a_turn_that_a_person_stopped_is_an_interruption(rollout: Rollout):
    rollout.begin()
    rollout.event("turn_aborted", reason="interrupted")
    rollout.event("turn_aborted", reason="replaced")
    assert [(message.role, message.kind) for message in messages(rollout)] == [(Role.PERSON, Kind.INTERRUPTION)]


@pytest.mark.parametrize(
    ("source", "agent", "name"),
    [
        ({"subagent": {"thread_spawn": {"parent_thread_id": "p", "agent_role": "reviewer"}}}, "reviewer", "reviewer"),
        ({"subagent": "review"}, "review", "review"),
        ({"subagent": {"other": 1}}, "sub-agent", "sub-agent"),
        ("exec", "", "main"),
    ],
)
def test_prompts_of_sub_agents_and_scripts_are_no_persons(rollout: Rollout, source: Any, agent: str, name: str):
    rollout.begin(source=source)
    rollout.person("always use tabs")
    rollout.agent("Tabs it is.")
    assert words(rollout) == [("agent", "Tabs it is.")]
    assert messages(rollout)[-1].agent == agent
    assert CodexReader().agent_name(rollout.path) == name


def test_the_first_of_repeated_session_lines_says_whose_it_is(rollout: Rollout):
    rollout.begin(forked_from_id="parent")
    rollout.begin(thread="parent", source={"subagent": "review"})
    rollout.person("use tabs")
    assert [(message.session, message.text) for message in messages(rollout)] == [(rollout.thread, "use tabs")]


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        "x",
        {},
        {"type": 7},
        {"type": "message", "role": "user", "content": "x"},
        {"type": "message", "role": [], "content": [None, 3, {"text": 5}]},
        {"type": "function_call", "name": None, "arguments": 3, "call_id": []},
        {"type": "function_call_output", "call_id": {}, "output": 3},
        {"type": "reasoning", "encrypted_content": "x"},
    ],
)
@pytest.mark.parametrize("kind", ["response_item", "event_msg", "session_meta", "turn_context", "compacted", "future"])
def test_an_odd_record_drops_nothing_after_it(rollout: Rollout, kind: str, payload: Any):
    rollout.write(kind, payload)
    rollout.person("after it")
    assert words(rollout)[-1] == ("person", "after it")


def test_unknown_lines_are_passed_over_and_counted(rollout: Rollout):
    rollout.write("world_state", {"a": 1})
    rollout.event("token_count", info=None)
    rollout.raw(b"42\n{broken\n")
    counts = read(rollout).counts
    assert (counts.unknown, counts.bad_lines) == ({"world_state": 1, "token_count": 1}, 2)


def test_the_oldest_form_has_the_items_alone_on_their_lines(rollout: Rollout):
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "use tabs"}]}
    rollout.raw(json.dumps(item).encode() + b"\n")
    assert words(rollout) == [("person", "use tabs")]


def test_history_that_a_fork_writes_down_again_under_new_times_is_queued_once(laptop: Laptop):
    parent = Rollout(laptop.root)
    fork = Rollout(laptop.root, thread="0199a1b2-9999-7222-8333-444455556666", hour=9)
    parent.begin()
    fork.begin(forked_from_id=parent.thread)
    fork.begin(thread=parent.thread)
    for number in range(1, 11):
        for rollout in (parent, fork):
            rollout.person(f"What is wrong with {number}?")
            rollout.agent(cause(number))
    fork.agent(cause(11))
    report = laptop.scan()
    assert (report.known, sorted(laptop.queued())) == (10, sorted([*TEN, cause(11)]))


def test_archived_transcripts_and_sessions_are_found_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    home = tmp_path / "codex"
    monkeypatch.setenv("CODEX_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    first = Rollout(home / "sessions" / "2026")
    second = Rollout(home / "archived_sessions", thread="0199-b")
    for rollout in (first, second):
        rollout.begin()
        (rollout.path.parent / "notes.jsonl").write_bytes(b"{}\n")
    second.path.with_name(f"{second.path.name}.zst").write_bytes(b"of the same session")
    assert [(transcript.path, transcript.context_id) for transcript in discovery.find()] == [
        (first.path, f"codex-2026-01-02T03-04-05-{first.thread}"),
        (second.path, "codex-2026-01-02T03-04-05-0199-b"),
    ]
