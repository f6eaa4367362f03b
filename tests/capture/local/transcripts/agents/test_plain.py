"""The plain form of a transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capture.local.transcripts import discovery
from capture.local.transcripts.agents.plain import PlainReader
from tests.support.agents.claude_transcripts import Transcript
from tests.support.laptops.capture_laptop import Laptop, cause


def write(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(b"".join(json.dumps(record).encode() + b"\n" for record in records))
    return path


def test_words_are_captured_as_they_are_added(laptop: Laptop):
    path = laptop.root / "7625" / "transcript.jsonl"
    write(path, {"type": "user_message", "content": "Hello."}, {"type": "assistant_message", "content": cause(1)})
    assert (laptop.scan().messages, laptop.queued()) == (2, [cause(1)])
    write(path, {"type": "assistant_message", "content": [{"type": "text", "text": cause(2)}]})
    assert (laptop.scan().messages, laptop.queued()) == (1, [cause(1), cause(2)])
    state = laptop.state(path)
    assert (state.context_id, state.agent_kind, state.last_message_index) == ("plain-7625", "plain", 3)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "tool", "content": "x"},
        {"type": ["user_message"], "content": "x"},
        {"type": "user_message"},
        {"type": "user_message", "content": {"a": [1]}},
        {"type": "user_message", "content": [None, 7, {"text": 8}]},
        {"type": "user_message", "content": "<system-reminder>never</system-reminder>"},
        [],
    ],
)
def test_an_odd_record_is_nobodys_words_and_drops_nothing(tmp_path: Path, record: Any):
    path = write(tmp_path / "transcript.jsonl", record, {"type": "user_message", "content": "after it"})
    with path.open("rb") as file:
        reading = PlainReader().read(file, 0, {}, limit=10**9)
    assert [message.text for message in reading.messages if message.text] == ["after it"]


def test_only_files_of_that_name_with_such_lines_are_in_the_plain_form(tmp_path: Path):
    plain = write(tmp_path / "a" / "transcript.jsonl", {"type": "summary"}, {"type": "user_message", "content": "x"})
    other = Transcript(tmp_path / "b" / "transcript.jsonl")
    other.person("hello")
    third = write(tmp_path / "c" / "other.jsonl", {"type": "user_message", "content": "x"})
    kinds = {transcript.path: transcript.reader.agent_kind for transcript in discovery.find([tmp_path])}
    assert kinds == {plain: "plain", other.path: "claude-code", third: "claude-code"}
