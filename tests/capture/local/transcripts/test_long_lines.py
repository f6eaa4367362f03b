"""A line of many megabytes is read with its long strings cut, and never held."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture.local.transcripts import lines, long_lines
from capture.local.transcripts.lines import lines_from, records_of
from capture.local.transcripts.long_lines import MAX_STRING_BYTES
from tests.support.examples import examples

RECORD: dict[str, Any] = {"type": "user", "uuid": "a", "message": {"role": "user", "content": "hello"}}


def text(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode()


def read_long(content: bytes) -> dict[str, Any]:
    """The record on a line that is read from a file, as long ones are cut while they are read."""
    (line,) = lines_from(io.BytesIO(content + b"\n"), 0, limit=10**9)
    assert line.content is not None
    (record,), whole = records_of(line.content)
    assert whole
    return record


def test_a_15_megabyte_line_is_read_with_its_long_strings_cut():
    big: dict[str, Any] = {**RECORD, "image": "A" * 15_000_000, "text": 'say "hi"\n\\ \u00e9' * 5000}
    value = read_long(text(big))
    assert value["message"] == RECORD["message"]
    assert value["image"] == "A" * MAX_STRING_BYTES
    assert big["text"].startswith(value["text"])
    assert len(value["text"]) > MAX_STRING_BYTES // 3


@pytest.mark.parametrize("shift", range(9))
def test_a_long_string_is_never_cut_inside_an_escape(shift: int):
    content = "x" * shift + '\u00e9"\\\n\U0001f600' * (lines._LONG_LINE // 8)
    value = read_long(text({"type": "user", "text": content}))
    assert content.startswith(value["text"].rstrip("\ufffd"))
    assert len(value["text"]) > 1000


STRINGS = st.text(st.sampled_from('aé"\\\n\u2028\x00\U0001f600u0'), max_size=60)


@settings(max_examples=examples(60))
@given(st.lists(STRINGS), st.integers(1, 40), st.integers(0, 30), st.booleans())
def test_any_value_cut_while_it_is_read_is_the_value_with_its_strings_cut(
    strings: list[str], chunk: int, limit: int, ascii_only: bool
):
    content = json.dumps({"a": strings}, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_lines, "_CHUNK", chunk)
        patch.setattr(long_lines, "MAX_STRING_BYTES", limit)
        cut = long_lines.shortened(io.BytesIO(content), 0, len(content))
    assert cut is not None
    value = json.loads(cut.decode("utf-8", "ignore"))
    for before, after in zip(strings, value["a"] if limit else [], strict=bool(limit)):
        assert before.startswith(after.rstrip("\ud83d"))
        assert len(json.dumps(after, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")) <= limit + 2
    if limit > 400:
        assert value["a"] == strings


def test_a_line_of_many_short_strings_beyond_all_bounds_is_passed_over(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(long_lines, "MAX_BYTES", lines._LONG_LINE)
    content = text({"type": "user", "many": ["x" * 100] * (lines._LONG_LINE // 50)}) + b"\n" + text(RECORD) + b"\n"
    first, second = lines_from(io.BytesIO(content), 0, limit=10**9)
    assert (first.content, second.content) == (None, text(RECORD) + b"\n")


def test_short_value_is_read_as_it_is_from_its_place() -> None:
    content = b'{"a": "b\\n", "c": [1, true]}'
    assert long_lines.shortened(io.BytesIO(b"before" + content + b"after"), 6, 6 + len(content)) == content


def test_string_is_cut_to_the_bytes_that_are_kept() -> None:
    content = text({"a": "x" * (MAX_STRING_BYTES + 1), "b": "y" * MAX_STRING_BYTES})
    cut = long_lines.shortened(io.BytesIO(content), 0, len(content))
    assert cut is not None
    assert json.loads(cut) == {"a": "x" * MAX_STRING_BYTES, "b": "y" * MAX_STRING_BYTES}


def test_file_that_ends_before_the_value_does_gives_nothing() -> None:
    assert long_lines.shortened(io.BytesIO(b'{"a": 1}'), 0, 100) is None
