"""Gemini CLI's transcripts become messages, in the form that is rewritten and in the one that is appended to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capture.local.scanning.scan_report import ScanReport
from capture.local.transcripts import discovery
from capture.local.transcripts.agents.gemini import GeminiReader
from capture.local.transcripts.lines import LONGEST_LINE
from capture.local.transcripts.messages import Kind, Message, Outcome, Role
from capture.local.transcripts.reader import Reading, TranscriptError
from tests.support.laptops.capture_laptop import TEN, Laptop, cause

TIME = "2026-01-02T03:04:05.000Z"


def said(number: int, text: Any, kind: str = "user", **fields: Any) -> dict[str, Any]:
    return {
        "id": f"m{number}",
        "timestamp": TIME.replace("05", f"{number:02}"),
        "type": kind,
        "content": text,
        **fields,
    }


def agent(number: int, text: Any, *calls: dict[str, Any]) -> dict[str, Any]:
    return said(number, text, "gemini", model="gemini-x", toolCalls=list(calls))


def call(number: int, name: str, args: dict[str, Any], output: Any = None, status: str = "success") -> dict[str, Any]:
    made: dict[str, Any] = {"id": f"c{number}", "name": name, "args": args, "status": status}
    if output is not None:
        made["result"] = [{"functionResponse": {"id": f"c{number}", "name": name, "response": {"output": output}}}]
    return made


SESSION = {"sessionId": "s1", "projectHash": "abc", "startTime": TIME, "lastUpdated": TIME, "kind": "main"}


class Chat:
    """A session's file in either form."""

    def __init__(self, root: Path, *, newer: bool, name: str = "session-2026-01-02T03-04-0a1b2c3d") -> None:
        self.path = root / "abc" / "chats" / f"{name}.json{'l' if newer else ''}"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.newer = newer
        self._messages: list[dict[str, Any]] = []
        if newer:
            self.raw(SESSION)

    def say(self, *messages: dict[str, Any]) -> None:
        """Add `messages`; one whose id is there already takes its place."""
        if self.newer:
            for message in messages:
                self.raw(message)
            return
        known = {message["id"]: message for message in [*self._messages, *messages]}
        self.replace(*known.values())

    def replace(self, *messages: dict[str, Any]) -> None:
        """Write the older form with `messages` and no others."""
        self._messages = list(messages)
        self.path.write_text(json.dumps({**SESSION, "messages": self._messages}, indent=2))

    def raw(self, record: dict[str, Any]) -> None:
        """Append a line."""
        with self.path.open("ab") as file:
            file.write(json.dumps(record).encode() + b"\n")


def read(path: Path) -> Reading:
    with path.open("rb") as file:
        return GeminiReader().read(file, 0, {}, limit=10**9)


def words(path: Path) -> list[tuple[str, str]]:
    return [(str(message.role), message.text) for message in read(path).messages if message.text]


@pytest.fixture(params=[True, False], ids=["jsonl", "json"])
def chat(tmp_path: Path, request: pytest.FixtureRequest) -> Chat:
    return Chat(tmp_path, newer=request.param)


def test_words_of_person_and_agent_become_messages_with_all_they_carry(chat: Chat):
    (chat.path.parent.parent / ".project_root").write_text("/nowhere/shop\n")
    chat.say(said(1, [{"text": "please "}, {"text": "fix it"}]), agent(2, "Done."))
    first, second = read(chat.path).messages
    assert (first.index, first.role, first.kind, first.text) == (1, Role.PERSON, Kind.WORDS, "please \nfix it")
    assert (second.index, second.role, second.text, second.model) == (2, Role.AGENT, "Done.", "gemini-x")
    assert (first.session, first.cwd, first.time) == ("s1", "/nowhere/shop", "2026-01-02T03:04:01.000Z")
    assert first.uuid != second.uuid
    assert 0 <= first.start < first.end <= chat.path.stat().st_size


@pytest.mark.parametrize(
    ("made", "outcome", "text"),
    [
        (call(1, "run_shell_command", {"command": "make"}, "built"), Outcome.OK, "built"),
        (call(1, "run_shell_command", {"command": "make"}, "no rule\nExit Code: 2"), Outcome.FAILED, "Exit code 2"),
        (call(1, "run_shell_command", {"command": "grep x y"}, "Exit Code: 1"), Outcome.OK, "Exit code 1"),
        (
            call(1, "replace", {"file_path": "/a"}, "not found", "error"),
            Outcome.FAILED,
            "not found",
        ),
        (call(1, "replace", {"file_path": "/a"}, "[Operation Cancelled]", "cancelled"), Outcome.NOT_RUN, "[Operation"),
        (call(1, "replace", {"file_path": "/a"}, None), Outcome.OK, ""),
        ({"id": "c1", "name": "x", "args": [], "status": "success", "result": "plain"}, Outcome.OK, "plain"),
        (
            {
                "id": "c1",
                "name": "x",
                "status": "success",
                "result": [{"functionResponse": {"response": {"error": "boom"}}}],
            },
            Outcome.FAILED,
            "boom",
        ),
    ],
)
def test_a_result_is_judged_by_status_and_text(chat: Chat, made: dict[str, Any], outcome: Outcome, text: str):
    chat.say(agent(1, "", made))
    use, result = read(chat.path).messages
    assert (use.kind, result.kind, result.role) == (Kind.TOOL_USE, Kind.TOOL_RESULT, Role.TOOL)
    assert result.results[0].outcome == outcome
    assert result.results[0].text.startswith(text)
    assert result.results[0].use == use.uses[0]


def test_a_call_that_is_not_finished_has_no_result_yet(chat: Chat):
    chat.say(agent(1, "", call(1, "run_shell_command", {"command": "make"}, status="executing")))
    assert [message.kind for message in read(chat.path).messages] == [Kind.TOOL_USE]


def test_messages_of_the_program_are_nobodys_words(chat: Chat):
    chat.say(*(said(number, "always use tabs", kind) for number, kind in enumerate(("info", "error", "warning", "x"))))
    assert words(chat.path) == []
    assert len(read(chat.path).messages) == 4


@pytest.mark.parametrize("fields", [{"type": "user"}, {"type": 7, "content": {}}, {"type": "gemini", "toolCalls": 3}])
def test_an_odd_field_never_drops_a_record(chat: Chat, fields: dict[str, Any]):
    chat.say({"id": "odd", **fields}, said(2, "after it"))
    assert words(chat.path) == [("person", "after it")]
    assert len(read(chat.path).messages) == 2


def test_a_turn_that_is_written_again_with_more_is_captured_with_what_is_new(laptop: Laptop, chat: Chat):
    pending = call(1, "run_shell_command", {"command": "make"}, status="executing")
    chat.say(said(1, "fix it"), agent(2, cause(1), pending))
    root = chat.path.parent
    laptop.root = root
    assert laptop.scan().learnings == 1
    chat.say(agent(2, cause(1), {**pending, **call(1, "run_shell_command", {"command": "make"}, "built")}))
    chat.say(said(3, "thanks"), agent(4, cause(2)))
    report = laptop.scan()
    assert (report.messages, report.compactions, report.problems) == (3, 0, [])
    assert laptop.queued() == [cause(1), cause(2)]
    assert laptop.scan() == ScanReport(transcripts=1)


def test_a_text_that_is_corrected_is_read_again_and_what_was_queued_is_known(laptop: Laptop, chat: Chat):
    laptop.root = chat.path.parent
    chat.say(agent(1, cause(1)))
    laptop.scan()
    chat.say(agent(1, f"{cause(1)}\n\n{cause(2)}"))
    report = laptop.scan()
    assert (report.known, report.learnings, laptop.queued()) == (1, 1, [cause(1), cause(2)])


def test_captures_of_a_rewritten_file_have_different_ranges(laptop: Laptop, tmp_path: Path):
    chat = Chat(tmp_path, newer=False)
    laptop.root = chat.path.parent
    for number in range(1, 5):
        chat.say(agent(1, cause(number)))
        laptop.scan()
    assert laptop.queued() == [cause(number) for number in range(1, 5)]
    assert [file["message_range"] for file in laptop.files()] == [[number, number] for number in range(1, 5)]


def test_file_rewritten_with_fewer_messages_is_no_compaction(laptop: Laptop, tmp_path: Path):
    chat = Chat(tmp_path, newer=False)
    laptop.root = chat.path.parent
    chat.say(*(agent(number, cause(number)) for number in range(1, 11)))
    laptop.scan()
    chat.replace(*(agent(number, cause(number)) for number in range(9, 12)))
    report = laptop.scan()
    assert (report.compactions, report.learnings, laptop.queued()) == (0, 1, [*TEN, cause(11)])
    assert laptop.scan() == ScanReport(transcripts=1)


def test_a_file_that_is_being_written_is_read_when_it_is_whole(laptop: Laptop, tmp_path: Path):
    chat = Chat(tmp_path, newer=False)
    laptop.root = chat.path.parent
    chat.say(agent(1, cause(1)))
    laptop.scan()
    chat.say(agent(2, cause(2)))
    whole = chat.path.read_bytes()
    chat.path.write_bytes(whole[:-40])
    report = laptop.scan()
    assert (report.messages, report.bad_lines, report.compactions, laptop.queued()) == (0, 1, 0, [cause(1)])
    chat.path.write_bytes(whole)
    assert (laptop.scan().messages, laptop.queued()) == (1, [cause(1), cause(2)])


def test_messages_set_as_a_whole_and_taken_back_are_read_once(laptop: Laptop, tmp_path: Path):
    chat = Chat(tmp_path, newer=True)
    laptop.root = chat.path.parent
    chat.say(*(agent(number, cause(number)) for number in range(1, 4)))
    chat.raw({"$set": {"messages": [agent(number, cause(number)) for number in range(1, 6)], "lastUpdated": TIME}})
    chat.raw({"$set": {"summary": "x"}})
    chat.raw({"$rewindTo": "m2"})
    chat.say(agent(6, cause(6)))
    report = laptop.scan()
    assert (report.messages, report.bad_lines) == (6, 0)
    assert laptop.queued() == [cause(number) for number in range(1, 7)]
    assert read(chat.path).counts.unknown == {"session": 2, "$rewindTo": 1}


def test_a_session_resumed_in_the_newer_form_goes_on_where_it_was(laptop: Laptop, tmp_path: Path):
    older = Chat(tmp_path, newer=False)
    laptop.root = older.path.parent
    older.say(*(agent(number, cause(number)) for number in range(1, 11)))
    laptop.scan()
    newer = Chat(tmp_path, newer=True)
    newer.say(*(agent(number, cause(number)) for number in range(1, 12)))
    report = laptop.scan()
    assert (report.transcripts, report.messages, report.known) == (1, 1, 0)
    assert laptop.queued() == [*TEN, cause(11)]


def test_a_whole_file_too_long_to_be_held_is_a_problem_that_says_so(tmp_path: Path):
    path = tmp_path / "session-x.json"
    with path.open("wb") as file:
        file.truncate(LONGEST_LINE + 1)  # sparse: no disk is used
    with pytest.raises(TranscriptError, match="one JSON value of more than 64 MiB"):
        read(path)


def test_sessions_of_all_projects_and_their_sub_agents_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    root = tmp_path / ".gemini" / "tmp"
    main = Chat(root, newer=True)
    sub_agent = main.path.parent / "5e55" / "a6e7.jsonl"
    sub_agent.parent.mkdir()
    prompt = said(1, "always use tabs")
    sub_agent.write_text("\n".join(json.dumps(record) for record in ({**SESSION, "kind": "subagent"}, prompt)) + "\n")
    for other in ("logs.json", "chats/notes.json", "checkpoints/session-1.json"):
        (root / "abc" / other).parent.mkdir(exist_ok=True)
        (root / "abc" / other).write_text("{}")
    reader = GeminiReader()
    paths = [path for root in reader.roots() for path in reader.find(root)]
    assert [(path, reader.transcript_id(path), reader.agent_name(path)) for path in paths] == [
        (main.path, "session-2026-01-02T03-04-0a1b2c3d", "main"),
        (sub_agent, "5e55-a6e7", "sub-agent"),
    ]
    assert words(sub_agent) == []
    assert [transcript.reader.agent_kind for transcript in discovery.find([root])] == ["gemini", "gemini"]


def test_the_same_messages_come_out_read_in_one_go_or_line_by_line(tmp_path: Path):
    chat = Chat(tmp_path, newer=True)
    chat.say(said(1, "fix it"), agent(2, "", call(1, "run_shell_command", {"command": "make"}, "built")))
    whole = read(chat.path)
    pieces: list[Message] = []
    memory: dict[str, Any] = {}
    offset = 0
    with chat.path.open("rb") as file:
        while (reading := GeminiReader().read(file, offset, memory, limit=1)).end != offset:
            pieces += reading.messages
            offset, memory = reading.end, json.loads(json.dumps(reading.memory))
    assert (pieces, memory) == (whole.messages, whole.memory)
