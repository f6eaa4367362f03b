"""Text from outside: what is made of it, and what is refused with which words."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryserver.common.ids import uuid7
from obslog.errors import InvalidObservationError
from obslog.incoming import check, data_text, from_client
from tests.support.rows.observations import MOMENT, new

LINE_BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


def refusal(**changes: Any) -> str:
    with pytest.raises(InvalidObservationError) as error:
        check(new(**changes))
    return str(error.value)


@pytest.mark.parametrize("line_break", LINE_BREAKS)
def test_line_break_in_a_message_becomes_a_space(line_break: str) -> None:
    assert check(new(message=f"one{line_break}[2026-01-01T00:00:00.000Z] [forged] two")).message == (
        "one [2026-01-01T00:00:00.000Z] [forged] two"
    )


@given(st.text(st.characters(codec=None), max_size=50))
@example("\ud800\x00a")
def test_message_is_always_one_clean_line(text: str) -> None:
    if not text.split():
        assert refusal(message=text) == "message must be a line of 1 to 2000 characters"
        return
    message = check(new(message=text)).message
    assert message.splitlines() == [message]
    assert "\x00" not in message
    message.encode()


def test_details_keep_their_lines_and_lose_what_postgres_cannot_hold() -> None:
    assert check(new(details="a\n\n\tb\x00\ud800\x1b[31m")).details == "a\n\n\tb\ufffd\ufffd\x1b[31m"


def test_empty_details_are_not_none() -> None:
    assert check(new(details="")).details == ""


def test_details_of_a_megabyte_are_refused_with_the_limit() -> None:
    assert refusal(details="x" * 1_000_000) == "details must have at most 100000 characters"


def test_details_at_the_limit_are_taken() -> None:
    assert len(check(new(details="x" * 100_000)).details or "") == 100_000


def test_message_beyond_the_limit_is_refused_with_it() -> None:
    assert len(check(new(message="x" * 2_000)).message) == 2_000
    assert refusal(message="x" * 2_001) == "message must be a line of 1 to 2000 characters"


@pytest.mark.parametrize("source", ["", "agent", "agent:", ":abc", ":"])
def test_source_without_category_and_identifier_is_refused(source: str) -> None:
    assert refusal(source=source) == "source must be category:identifier, such as agent:abc123"


@pytest.mark.parametrize("source", ["agent:a\nb", "agent:a\x1b[31m", "agent:\u202eabc", "agent:a\x00", "agent:a\ud800"])
def test_source_that_could_forge_a_line_is_refused(source: str) -> None:
    assert refusal(source=source) == "source must be one line without control characters"


@pytest.mark.parametrize("source", ["agent:a:b", "plugin:Mein Zusatz", "agent:100%_\\", "агент:один"])
def test_source_with_odd_but_harmless_characters_is_taken(source: str) -> None:
    assert check(new(source=source)).source == source


@pytest.mark.parametrize("type_", ["a b", "a]", "[a", "a\n", "a\x1b", "\u202ea"])
def test_type_that_could_forge_an_entry_is_refused(type_: str) -> None:
    assert refusal(type=type_) == "type must be one word without brackets"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"type": ""}, "type must have 1 to 100 characters"),
        ({"type": "x" * 101}, "type must have 1 to 100 characters"),
        ({"source": "agent:" + "x" * 195}, "source must have at most 200 characters"),
        ({"scope_ids": [""]}, "a scope id must have 1 to 200 characters"),
        ({"scope_ids": ["x" * 201]}, "a scope id must have 1 to 200 characters"),
        ({"scope_ids": list(map(str, range(101)))}, "an observation has at most 100 scope ids"),
    ],
)
def test_what_is_too_long_or_too_many_is_refused_with_the_limit(changes: dict[str, Any], said: str) -> None:
    assert refusal(**changes) == said


ANY_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=200)


@given(st.lists(ANY_TEXT, max_size=20))
def test_scope_ids_of_any_characters_are_kept_as_they_are(scope_ids: list[str]) -> None:
    assert check(new(scope_ids=scope_ids)).scope_ids == list(dict.fromkeys(scope_ids))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), json.loads("1e400")])
def test_number_that_is_no_json_is_refused(number: float) -> None:
    assert refusal(data={"deep": [number]}).startswith("data must be JSON: ")


def test_what_json_has_no_word_for_is_refused() -> None:
    assert refusal(data={"a": object()}).startswith("data must be JSON: Object of type object")


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_deep_data_is_taken_up_to_a_limit_that_is_said() -> None:
    assert check(new(data=nested(100))).data == "[" * 100 + "1" + "]" * 100
    assert refusal(data=nested(101)) == "data may be nested at most 100 deep"
    assert refusal(data=nested(100_000)) == "data may be nested at most 100 deep"


def test_data_within_itself_is_refused() -> None:
    data: list[Any] = []
    data.append(data)

    assert refusal(data=data) == "data may be nested at most 100 deep"


def test_large_data_is_refused_with_the_limit_in_bytes() -> None:
    assert check(new(data="é" * 49_999)).data == '"' + "é" * 49_999 + '"'
    assert refusal(data="é" * 50_000) == "data must be at most 100000 bytes of JSON"


def test_number_of_too_many_digits_is_refused() -> None:
    assert refusal(data=10**5000).startswith("data must be JSON: ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(JSON)
def test_any_json_is_kept_as_it_is_but_for_nul(data: Any) -> None:
    text = data_text(data)
    assert (None if text is None else json.loads(text)) == json.loads(json.dumps(data).replace("\\u0000", "\\ufffd"))


def test_nul_and_lone_surrogates_in_data_are_replaced() -> None:
    assert data_text({"a\x00": ["\ud800", "\\u0000"]}) == '{"a\ufffd": ["\ufffd", "\\\\u0000"]}'


def test_time_that_is_not_the_ids_is_refused() -> None:
    with pytest.raises(InvalidObservationError) as error:
        check(new(id=uuid7(MOMENT), created_at=MOMENT + 1))

    assert str(error.value) == f"created_at is not the time in the id ({MOMENT}); omit one of the two"


@pytest.mark.parametrize("identifier", [uuid.uuid4(), uuid7(2**48 - 1), uuid.UUID(int=0)])
def test_id_that_is_not_a_uuid7_of_a_real_time_is_refused(identifier: uuid.UUID) -> None:
    with pytest.raises(InvalidObservationError, match="id must be a UUIDv7 of before the year 10000"):
        check(new(id=identifier))


@pytest.mark.parametrize("moment", [-1, 253_402_300_800_000])
def test_time_outside_of_the_calendar_is_refused(moment: int) -> None:
    with pytest.raises(InvalidObservationError, match="created_at must be Unix milliseconds before the year 10000"):
        check(new(created_at=moment))


@pytest.mark.parametrize(
    "source",
    [
        *(
            "system:cron",
            "System:cron",
            "SYSTEM:x:y",
            " system:cron",
            "system :cron",
            "sys tem:cron",
            "system\u00a0:cron",
        ),
        *(
            "ｓｙｓｔｅｍ:cron",
            "system：cron",
            "sys\u200btem:cron",
            "sys\u00adtem:cron",
            "\u202esystem:cron",
            "ſystem:cron",
        ),
        *("system", "system:"),
    ],
    ids=ascii,
)
def test_source_that_looks_like_the_servers_is_refused_from_a_client(source: str) -> None:
    with pytest.raises(InvalidObservationError) as error:
        from_client(new(source=source))

    assert str(error.value) == (
        "source system: is for the server's own events; use another category, such as agent:abc123"
    )


@pytest.mark.parametrize("source", ["agent:system", "systems:a", "ecosystem:a", "client:capture", "sys:tem", ""])
def test_other_source_is_accepted_from_a_client(source: str) -> None:
    observation = new(source=source)

    assert from_client(observation) is observation
