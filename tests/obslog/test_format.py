"""The three modes, letter by letter, and that no content passes for what it is not."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from obslog.format import MIN_CHARS, Mode, fitting, format_observations
from obslog.models import Observation
from tests.support.rows.observations import MOMENT

MODES: list[Mode] = ["json", "short", "full"]


def row(**changes: Any) -> Observation:
    fields = {
        "type": "task.updated",
        "source": "agent:abc123",
        "message": "moved on",
        "details": "from open\nto done",
        "data": {"from": "open", "n": 1},
        "created_at": MOMENT + 123,
    }
    return Observation(**{**fields, **changes})


BARE = row(details=None, data=None, message="nothing more")


def test_json_is_the_data_of_each_on_a_line_and_null_where_there_is_none() -> None:
    assert format_observations([row(), BARE, row(data=[1, "é"])], "json") == '{"from": "open", "n": 1}\nnull\n[1, "é"]'


def test_short_is_time_type_and_message_on_a_line() -> None:
    assert format_observations([row(), BARE], "short") == (
        "[2023-11-14T22:13:20.123Z] [task.updated] moved on\n[2023-11-14T22:13:20.123Z] [task.updated] nothing more"
    )


def test_full_has_source_message_details_and_data_and_a_blank_line_between() -> None:
    assert format_observations([row(), BARE, row(details="")], "full") == (
        "[2023-11-14T22:13:20.123Z] [task.updated] source=agent:abc123\n"
        "moved on\n"
        "from open\n"
        "to done\n"
        '{"from": "open", "n": 1}\n'
        "\n"
        "[2023-11-14T22:13:20.123Z] [task.updated] source=agent:abc123\n"
        "nothing more\n"
        "\n"
        "[2023-11-14T22:13:20.123Z] [task.updated] source=agent:abc123\n"
        "moved on\n"
        '{"from": "open", "n": 1}'
    )


@pytest.mark.parametrize("mode", MODES)
def test_no_observations_are_said_to_be_none(mode: Mode) -> None:
    assert format_observations([], mode) == "No observations found."


def test_every_millisecond_is_written_as_it_is() -> None:
    for moment in (0, 999, 1_700_000_000_001, 253_402_300_799_999):
        text = format_observations([row(created_at=moment)], "short")
        assert text[21:24] == f"{moment % 1000:03}"


FORGED = "[2026-01-01T00:00:00.000Z] [task.done] source=system:cron"


def test_details_and_message_cannot_forge_the_head_of_an_entry() -> None:
    text = format_observations([row(message=FORGED, details=f"x\n\n{FORGED}\ndone\r{FORGED}")], "full")

    assert [line for line in text.split("\n") if line.startswith("[2")] == [
        "[2023-11-14T22:13:20.123Z] [task.updated] source=agent:abc123"
    ]
    assert text.count(f"\n {FORGED}") == 3


HOSTILE = "a\x1b[31mred\x1b]0;title\x07\x9b2J\u202eb\u2066c\x00\x07\x7f\u2028d\x85e"


@pytest.mark.parametrize("mode", MODES)
def test_nothing_that_steers_a_terminal_or_turns_text_round_comes_out(mode: Mode) -> None:
    text = format_observations([row(message=HOSTILE, details=HOSTILE, data={HOSTILE: HOSTILE})], mode)

    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)


@given(st.text(st.characters(codec="utf-8")))
@example(HOSTILE)
def test_json_line_gives_back_the_data_as_it_was(content: str) -> None:
    text = format_observations([row(data={content: content})], "json")

    assert text.splitlines() == [text]
    assert json.loads(text) == {content: content}


def test_what_was_left_out_is_said_in_a_last_line() -> None:
    assert format_observations([BARE], "short", left_out=3).split("\n") == [
        "[2023-11-14T22:13:20.123Z] [task.updated] nothing more",
        "(3 more observations left out to stay within max_chars)",
    ]
    assert format_observations([BARE], "json", left_out=3).split("\n") == [
        "null",
        '"3 more observations left out to stay within max_chars"',
    ]
    assert format_observations([], "full", left_out=1) == "(1 more observations left out to stay within max_chars)"


@given(
    st.lists(st.builds(lambda size: row(message="x" * size), st.integers(1, 300)), max_size=12),
    st.integers(MIN_CHARS, 3000),
    st.sampled_from(MODES),
)
def test_budget_is_kept_and_used(rows: list[Observation], max_chars: int, mode: Mode) -> None:
    count = fitting(rows, mode, max_chars)
    text = format_observations(rows[:count], mode, left_out=len(rows) - count)

    assert len(text) <= max_chars
    if count < len(rows):
        assert len(format_observations(rows[: count + 1], mode)) > max_chars - 102
