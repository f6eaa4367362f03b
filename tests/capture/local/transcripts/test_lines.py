"""Reading lines of a growing file, whatever a crash has made of them."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.local.transcripts import lines
from capture.local.transcripts.lines import lines_from, records_of

RECORD: dict[str, Any] = {"type": "user", "uuid": "a", "message": {"role": "user", "content": "hello"}}
OTHER: dict[str, Any] = {
    "parentUuid": None,
    "type": "assistant",
    "uuid": "b",
    "message": {"content": [{"type": "text", "text": "}{"}]},
}


def text(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode()


@given(st.lists(st.binary(max_size=40)), st.integers(min_value=1, max_value=200))
def test_any_bytes_read_in_any_stretches_give_the_lines_once(parts: list[bytes], limit: int):
    content = b"\n".join(parts)
    file = io.BytesIO(content)
    contents, offset = [], 0
    while stretch := list(lines_from(file, offset, limit=limit)):
        contents += [line.content for line in stretch]
        assert [line.start for line in stretch] == [offset, *(line.end for line in stretch[:-1])]
        offset = stretch[-1].end
    assert b"".join(filter(None, contents)) == content[: content.rfind(b"\n") + 1]
    assert all(line is not None and line.count(b"\n") == 1 for line in contents)


def test_half_a_line_at_the_end_is_left_for_the_next_time():
    assert [line.content for line in lines_from(io.BytesIO(b"a\nb"), 0, limit=100)] == [b"a\n"]


def test_lines_longer_than_a_block_are_whole():
    content = b"x" * (3 * lines._CHUNK) + b"\ny\n"
    assert [line.content for line in lines_from(io.BytesIO(content), 0, limit=10**9)] == [content[:-2], b"y\n"]


def test_a_line_too_long_to_hold_is_passed_over_with_its_place_known(tmp_path: Path):
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.truncate(lines.LONGEST_LINE + 5)  # sparse: no disk is used
        file.seek(0, 2)
        file.write(b"\n" + text(RECORD) + b"\n")
    with path.open("rb") as file:
        first, second = lines_from(file, 0, limit=10**9)
    assert (first.content, first.end, second.content) == (None, lines.LONGEST_LINE + 6, text(RECORD) + b"\n")


@pytest.mark.parametrize(
    ("content", "records", "whole"),
    [
        (text(RECORD), [RECORD], True),
        (b"\xef\xbb\xbf" + text(RECORD) + b"\r\n", [RECORD], True),
        (b"", [], True),
        (b"  \r\n", [], True),
        (b"\x00" * 900, [], True),
        (text(RECORD) + b"\x00" * 9000, [RECORD], True),
        (b"\x00\x00" + text(RECORD), [RECORD], True),
        (text(RECORD) + text(OTHER), [RECORD, OTHER], True),
        (text(RECORD) + b"\x00\x00" + text(OTHER), [RECORD, OTHER], True),
        (text(RECORD)[:-20] + text(OTHER), [OTHER], False),
        (text(OTHER)[:-4] + text(RECORD), [RECORD], False),
        (text(RECORD) + text(OTHER)[:30], [RECORD], False),
        (text(RECORD)[:-5], [], False),
        (b'"massive error"', [], False),
        (b"42", [], False),
        (b"[1]", [], False),
        (b"null", [], False),
        (b"not json at all", [], False),
        (b"[" * 100_000, [], False),
        (b'{"a":' * 50_000, [], False),
    ],
)
def test_a_damaged_line_gives_what_is_whole_on_it(content: bytes, records: list[object], whole: bool):
    assert records_of(content) == (records, whole)


def test_lone_surrogates_raw_control_characters_and_odd_bytes_lose_no_record():
    (record,), whole = records_of(b'{"type":"user","a":"\\ud83d","b":"x\ty\x01","c":"\xff\xe2\x80\xa8"}')
    assert whole
    assert (record["a"], record["b"], record["c"]) == ("\ufffd", "x\ty\x01", "\ufffd\u2028")


def test_a_number_of_5000_digits_loses_no_record():
    records, _ = records_of(b'{"type":"user","n":' + b"7" * 5000 + b',"uuid":"a"}')
    assert [record["uuid"] for record in records] == ["a"]


def test_random_cuts_and_joints_never_raise_and_never_invent_a_record():
    generator = random.Random(7)
    whole = [text({**RECORD, "uuid": str(number)}) for number in range(50)]
    for _ in range(1500):
        first, second = generator.sample(whole, 2)
        cut = generator.randrange(len(first))
        records, _ = records_of(first[:cut] + b"\x00" * generator.choice([0, 3]) + second)
        assert [text(record) for record in records] == [second]
