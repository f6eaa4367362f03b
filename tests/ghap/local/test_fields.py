"""Values of an entry: checked, bounded, and named when wrong."""

from __future__ import annotations

from typing import Any

import pytest

from ghap.local import Domain, InvalidEntryError
from ghap.local.fields import Fields, bounded, decode_object, member


def test_text_at_the_limit_is_whole_and_one_above_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    assert len(bounded("x" * 10_000, "goal")) == 10_000
    assert caplog.records == []
    assert len(bounded("x" * 10_001, "goal")) == 10_000
    assert [record.getMessage() for record in caplog.records] == [
        "goal has 10001 characters and was cut to the first 10000"
    ]


def test_secret_is_cut_and_logged_by_its_kind(caplog: pytest.LogCaptureFixture) -> None:
    stored = bounded("password=hunter2xyz", "goal")
    assert (stored, bounded(stored, "goal")) == ("password=[redacted:password]", "password=[redacted:password]")
    assert [record.getMessage() for record in caplog.records] == [
        "goal: cut out as secret: password; the rest is stored"
    ]


def test_member_is_found_by_itself_and_by_its_value() -> None:
    assert member(Domain.TESTING, Domain, "domain") is member("testing", Domain, "domain") is Domain.TESTING
    with pytest.raises(InvalidEntryError, match=r"^domain cannot be 'TESTING'; choose one of debugging, "):
        member("TESTING", Domain, "domain")


@pytest.mark.parametrize("content", ['\ufeff{"a": 1}', b'\xef\xbb\xbf{"a": 1}'])
def test_bom_is_skipped(content: str | bytes) -> None:
    assert decode_object(content) == {"a": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff", "not UTF-8 at byte 0"),
        ("[" * 100_000, "nested too deeply"),
        ("{", "invalid JSON: Expecting property name"),
        ('{"a": Infinity}', "invalid JSON: Infinity is not allowed"),
    ],
)
def test_content_that_cannot_be_decoded_is_refused_with_the_reason(content: str | bytes, message: str) -> None:
    with pytest.raises(InvalidEntryError, match=f"^{message}"):
        decode_object(content)


def test_fields_that_were_not_read_are_the_rest() -> None:
    fields = Fields({"a": "x", "b": None, "c": [1, None], "d": "\0"})
    assert fields.text("a") == "x"
    assert fields.optional_text("b") is None
    assert fields.rest() == {"c": [1, None], "d": "\ufffd"}


def test_null_and_missing_fields_have_the_same_defaults() -> None:
    for value in ({}, dict.fromkeys(("flag", "count", "items", "moment", "choice"))):
        fields = Fields(value)
        assert fields.flag("flag") is False
        assert fields.count("count", default=3) == 3
        assert fields.items("items") == []
        assert fields.optional_moment("moment") is None
        assert fields.optional_choice("choice", Domain) is None
        assert fields.rest() == {}


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("text", None, "outcome.x is missing"),
        ("text", 1, "outcome.x must be text, not a number"),
        ("identifier", "a b", "outcome.x must be 1 to 100 letters"),
        ("moment", "2025-12-03", "outcome.x must be a time like"),
        ("flag", 1, "outcome.x must be true or false, not a number"),
        ("items", "a", "outcome.x must be a list, not text"),
    ],
)
def test_wrong_value_is_refused_with_the_whole_name_of_its_field(method: str, value: Any, message: str) -> None:
    with pytest.raises(InvalidEntryError, match=f"^{message}"):
        getattr(Fields({"x": value}, "outcome"), method)("x")


@pytest.mark.parametrize("value", [0, -1, 1_000_001, True, 1.0, "2"])
def test_count_outside_its_bounds_is_refused(value: Any) -> None:
    with pytest.raises(InvalidEntryError, match="x must be a whole number from 1 to 1000000"):
        Fields({"x": value}).count("x", default=1)


@pytest.mark.parametrize("depth", [50, 51])
def test_unknown_field_may_be_nested_fifty_deep(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    fields = Fields({"future": value})
    if depth == 50:
        assert fields.rest() == {"future": value}
    else:
        with pytest.raises(InvalidEntryError, match="future is nested more than 50 deep"):
            fields.rest()
