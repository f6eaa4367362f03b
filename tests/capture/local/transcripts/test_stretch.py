"""Records of a transcript become messages, one stretch of the file after the other."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from capture.local.transcripts.messages import Kind, Role, ToolUse
from capture.local.transcripts.stretch import MOST_TEXT, Stretch, dicts_of, text_of, texts_in


class Words(Stretch):
    """Takes records with `say`, skips all others, and remembers the last text."""

    remembered: ClassVar[tuple[str, ...]] = ("last",)
    last = ""

    def read_record(self, record: dict[str, Any]) -> None:
        if "say" not in record:
            self.skip(record.get("type"))
            return
        self.last = record["say"]
        self.add(Role.PERSON, Kind.WORDS, text=record["say"])


def line(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


def test_messages_are_numbered_and_know_their_bytes() -> None:
    stretch = Words({})
    stretch.read_line(line({"say": "one"}), 0, 15)
    stretch.read_line(line({"say": "two"}), 15, 30)
    assert [(each.index, each.text, each.start, each.end) for each in stretch.messages] == [
        (1, "one", 0, 15),
        (2, "two", 15, 30),
    ]


def test_next_stretch_goes_on_with_numbers_calls_and_what_the_reader_keeps() -> None:
    first = Words({})
    first.read_line(line({"say": "one"}), 0, 15)
    use = ToolUse("t1", "Bash", "make")
    assert first.add_calls(use, ToolUse("", "Bash", "x")) == (use, ToolUse("", "Bash", "x"))
    second = Words(json.loads(json.dumps(first.memory())))
    assert (second.last, second.use_for("t1"), second.use_for("t1")) == ("one", use, None)
    second.read_line(line({"say": "two"}), 15, 30)
    assert second.messages[0].index == 2


def test_at_most_a_hundred_open_calls_are_kept_the_latest_ones() -> None:
    stretch = Words({})
    stretch.add_calls(*[ToolUse(f"t{n}", "Bash", "x") for n in range(120)])
    assert [call["id"] for call in stretch.memory()["open_calls"]] == [f"t{n}" for n in range(20, 120)]


def test_records_without_a_message_are_counted_by_type() -> None:
    stretch = Words({})
    stretch.read_line(line({"type": "notice"}), 0, 5)
    stretch.read_line(line({"type": None}), 5, 9)
    assert (stretch.messages, stretch.counts.unknown) == ([], {"notice": 1, "None": 1})


def test_long_and_damaged_lines_are_counted_and_what_is_whole_is_taken() -> None:
    stretch = Words({})
    stretch.read_line(None, 0, 10)
    stretch.read_line(b'{"type": "user", "say": "on' + line({"type": "user", "say": "two"}), 10, 30)
    counts = stretch.counts
    assert (counts.long_lines, counts.bad_lines, counts.recovered) == (1, 1, 1)
    assert [message.text for message in stretch.messages] == ["two"]


@pytest.mark.parametrize(
    ("value", "text"), [("a", "a"), (None, ""), (["a"], ""), ("x" * (MOST_TEXT + 1), "x" * MOST_TEXT)]
)
def test_text_is_a_bounded_string_or_empty(value: object, text: str) -> None:
    assert text_of(value) == text


def test_dicts_are_the_objects_of_a_list() -> None:
    assert [dicts_of(value) for value in ([{"a": 1}, 2, {}], {"a": 1}, None)] == [[{"a": 1}, {}], [], []]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("said", "said"),
        ([{"text": "a"}, {"image": "x"}, {"text": "b"}, {"text": 3}, "c"], "a\nb"),
        ({"text": "a"}, "a"),
        (None, ""),
    ],
)
def test_texts_are_those_of_blocks(content: object, text: str) -> None:
    assert texts_in(content) == text
