"""The details of a call's result are cut out of its line where nothing is lost with them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from capture.local.transcripts.agents.claude_code import ClaudeCodeReader
from capture.local.transcripts.call_details import without_details
from capture.local.transcripts.messages import Message, Outcome
from capture.local.transcripts.reader import Reading

MESSAGE = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "two rows"}]}
ABOUT = {"cwd": "/nowhere/shop", "sessionId": "s", "gitBranch": "main", "isSidechain": False}
RECORD = {"parentUuid": "p", **ABOUT, "type": "user", "message": MESSAGE, "uuid": "u", "timestamp": "2026-03-01T10:00Z"}
DETAILS: dict[str, Any] = {"stdout": 'two "rows" },"x":{}', "stderr": "", "interrupted": False}
CODE = {"file": {"content": ',"toolUseResult":{"interrupted":true},"sourceToolAssistantUUID":"x"}}'}}
SOURCE = {"sourceToolAssistantUUID": "a"}


def line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def read(content: bytes) -> Reading:
    return ClaudeCodeReader().read(io.BytesIO(content), 0, {}, limit=10**9)


def told(message: Message) -> list[Any]:
    return [getattr(message, name) for name in Message.__slots__ if name not in ("start", "end")]


@pytest.mark.parametrize(
    ("record", "shorter"),
    [
        ({**RECORD, "toolUseResult": DETAILS}, RECORD),
        ({**RECORD, "toolUseResult": CODE}, RECORD),
        ({**RECORD, "toolUseResult": {}}, RECORD),
        ({**RECORD, "toolUseResult": DETAILS, **SOURCE}, {**RECORD, **SOURCE}),
        (
            {"type": "user", "message": MESSAGE, "toolUseResult": DETAILS, **SOURCE, **ABOUT},
            {"type": "user", "message": MESSAGE, **SOURCE, **ABOUT},
        ),
    ],
)
def test_details_are_cut_out_whatever_is_behind_them(record: dict[str, Any], shorter: dict[str, Any]) -> None:
    assert without_details(line(record)) == line(shorter)
    (cut,), (whole,) = read(line(record)).messages, read(json.dumps(record).encode() + b"\n").messages
    assert told(cut) == told(whole)
    assert cut.cwd == "/nowhere/shop"
    assert cut.results[0].text == "two rows"


@pytest.mark.parametrize(
    "record",
    [
        RECORD,
        {**RECORD, "toolUseResult": "Error: no rows"},
        {**RECORD, "toolUseResult": {**DETAILS, "interrupted": True}},
        {**RECORD, "toolUseResult": DETAILS, "forkedFrom": {"messageUuid": "m"}},
        {**RECORD, "toolUseResult": DETAILS, "isMeta": True},
        {**RECORD, "toolUseResult": {"content": [{"type": "text", "text": "x"}]}},
    ],
)
def test_line_stays_whole_where_something_is_needed_or_unclear(record: dict[str, Any]) -> None:
    assert without_details(line(record)) is None
    (message,), (whole,) = read(line(record)).messages, read(json.dumps(record).encode() + b"\n").messages
    assert told(message) == told(whole)


def test_an_interrupted_call_was_not_run_and_a_fork_keeps_the_uuid_of_its_origin() -> None:
    record = {**RECORD, "toolUseResult": {**DETAILS, "interrupted": True}, "forkedFrom": {"messageUuid": "m"}}
    (message,) = read(line(record)).messages
    assert (message.results[0].outcome, message.uuid) == (Outcome.NOT_RUN, "m")


def test_details_of_an_inner_object_are_no_damage() -> None:
    record = {"type": "progress", "data": {"message": {"a": 1, "toolUseResult": {"b": {"c": 1}}}}}
    reading = read(line(record))
    assert (reading.counts.bad_lines, reading.counts.unknown) == (0, {"progress": 1})


def test_record_behind_one_that_was_cut_off_in_its_details_is_read() -> None:
    torn = line({**RECORD, "toolUseResult": DETAILS})[:-30]
    reading = read(torn + line({**RECORD, "uuid": "second", "toolUseResult": DETAILS}))
    assert [message.uuid for message in reading.messages] == ["second"]
    assert (reading.counts.bad_lines, reading.counts.recovered) == (1, 1)
