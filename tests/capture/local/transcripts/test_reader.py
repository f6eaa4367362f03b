"""What every reader of transcripts does, whichever agent's they are."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from capture.local.transcripts.messages import Kind, Message, Role
from capture.local.transcripts.reader import DamagedTranscriptError, LinesReader, TranscriptError, existing
from capture.local.transcripts.stretch import Stretch
from capture.local.transcripts.walk import Skip, ignore


class Words(Stretch):
    """A message for each record."""

    def read_record(self, record: dict[str, Any]) -> None:
        self.add(Role.PERSON, Kind.WORDS, text=record["say"])


class WordsReader(LinesReader):
    """Reads lines with `say`."""

    agent_kind = "words"
    stretch = Words

    def roots(self) -> list[Path]:
        return []

    def find(self, root: Path, skip: Skip = ignore) -> Iterator[Path]:
        return iter(())

    def transcript_id(self, path: Path) -> str:
        return path.stem


LINES = [json.dumps({"say": word}).encode() + b"\n" for word in ("one", "two", "three")]


def test_lines_are_read_up_to_the_last_whole_one() -> None:
    reading = WordsReader().read(io.BytesIO(b"".join(LINES) + b'{"say"'), 0, {}, limit=10**6)
    assert [message.text for message in reading.messages] == ["one", "two", "three"]
    assert reading.end == sum(map(len, LINES))


@pytest.mark.parametrize(
    ("end", "words"),
    [(b'{"say": "four"}', ["one", "two", "three", "four"]), (b'{"say": "fo', ["one", "two", "three"])],
    ids=["whole record", "part of a record"],
)
def test_last_line_without_a_line_break_is_read_of_a_file_at_rest_if_it_is_whole(end: bytes, words: list[str]) -> None:
    file = io.BytesIO(b"".join(LINES) + end)
    assert [message.text for message in WordsReader().read(file, 0, {}, limit=10**6).messages] == words[:3]
    reading = WordsReader().read(file, 0, {}, limit=10**6, at_rest=True)
    assert [message.text for message in reading.messages] == words
    assert reading.end == sum(map(len, LINES)) + (len(end) if len(words) == 4 else 0)


def test_next_reading_goes_on_where_the_last_one_ended() -> None:
    file = io.BytesIO(b"".join(LINES))
    first = WordsReader().read(file, 0, {}, limit=1)
    second = WordsReader().read(file, first.end, json.loads(json.dumps(first.memory)), limit=10**6)
    assert [(each.index, each.text) for each in [*first.messages, *second.messages]] == [
        (1, "one"),
        (2, "two"),
        (3, "three"),
    ]


def test_nothing_new_leaves_the_place_as_it_was() -> None:
    reading = WordsReader().read(io.BytesIO(LINES[0]), len(LINES[0]), {"index": 1}, limit=10**6)
    assert (reading.messages, reading.end, reading.memory["index"]) == ([], len(LINES[0]), 1)


def test_reader_opens_files_as_they_are_and_has_no_names_for_agents(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\x00x")
    reader = WordsReader()
    with reader.open(path) as file:
        assert file.read() == b"\x00x"
    assert (reader.agent_name(path), reader.is_rewritten(path), reader.takes_any) == ("main", False, False)


def test_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        WordsReader().open(tmp_path / "gone.jsonl")


def test_folders_that_exist_are_named_once_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "file").touch()
    folders = [tmp_path / "a", tmp_path / "gone", tmp_path, tmp_path / "file", tmp_path / "a"]
    assert existing(folders) == [tmp_path / "a", tmp_path]


def test_damaged_transcript_is_a_transcript_that_cannot_be_read() -> None:
    assert issubclass(DamagedTranscriptError, TranscriptError)


def test_each_message_is_noted_as_soon_as_it_is_read() -> None:
    noted: list[Message] = []
    reading = WordsReader().read(io.BytesIO(b"".join(LINES)), 0, {}, limit=10**6, noted=noted.append)
    assert noted == reading.messages
    assert len(noted) == len(LINES)
