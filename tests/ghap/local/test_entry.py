"""The entry's JSON, what is refused, how texts are bounded, and tiers."""

from __future__ import annotations

import json
import logging
import re
import typing
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghap import local
from ghap.local import (
    ConfidenceTier,
    Domain,
    GHAPEntry,
    GHAPError,
    InvalidEntryError,
    Outcome,
    OutcomeStatus,
    Strategy,
    compute_confidence_tier,
)
from tests.ghap.local.samples import PUBLISHED_CURRENT, PUBLISHED_LINE, body, entries, json_values


def test_every_exported_name_is_there() -> None:
    exported: dict[str, Any] = {}
    exec("from ghap.local import *", exported)
    assert set(local.__all__) <= set(exported)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        local.Nothing  # noqa: B018


def test_enum_values_are_the_published_ones() -> None:
    assert {member.value for member in Domain} == {
        "debugging", "refactoring", "feature", "testing", "configuration", "documentation", "performance",
        "security", "integration",
    }  # fmt: skip
    assert {member.value for member in Strategy} == {
        "systematic-elimination", "trial-and-error", "research-first", "divide-and-conquer", "root-cause-analysis",
        "copy-from-similar", "check-assumptions", "read-the-error", "ask-user",
    }  # fmt: skip
    assert [member.value for member in OutcomeStatus] == ["confirmed", "falsified", "abandoned"]
    assert [member.value for member in ConfidenceTier] == ["gold", "silver", "bronze", "abandoned"]


def test_published_active_entry_is_loaded_and_written_byte_for_byte() -> None:
    entry = GHAPEntry.from_json(PUBLISHED_CURRENT)
    assert entry.domain is Domain.DEBUGGING
    assert entry.created_at == datetime(2025, 12, 3, 14, 30, 22, tzinfo=UTC)
    assert entry.history[0].timestamp == entry.created_at
    assert entry.outcome is None
    one_line_lists = re.sub(r'\[\n\s+("[^\n]*")\n\s+\]', r"[\1]", entry.to_json(indent=2))
    assert one_line_lists == PUBLISHED_CURRENT


def test_published_session_line_is_loaded_and_written_byte_for_byte() -> None:
    entry = GHAPEntry.from_json(PUBLISHED_LINE)
    assert entry.outcome is not None
    assert entry.outcome.status is OutcomeStatus.CONFIRMED
    assert entry.confidence_tier is ConfidenceTier.SILVER
    assert entry.to_json() == PUBLISHED_LINE


@given(entries)
def test_entry_written_and_read_is_the_same(entry: GHAPEntry) -> None:
    assert GHAPEntry.from_json(entry.to_json()) == entry
    assert GHAPEntry.from_json(entry.to_json(indent=2).encode("utf-8")) == entry
    assert "\n" not in entry.to_json()


@given(entries, st.integers(0, 9999))
def test_truncated_entry_is_refused(entry: GHAPEntry, where: int) -> None:
    content = entry.to_json().encode("utf-8")
    with pytest.raises(InvalidEntryError):
        GHAPEntry.from_json(content[: where % len(content)])


@given(st.sampled_from(sorted(body())), json_values)
def test_any_value_in_any_field_is_accepted_or_refused_in_one_line(field: str, value: Any) -> None:
    said = ""
    try:
        entry = GHAPEntry.from_dict(body(**{field: value}))
    except InvalidEntryError as error:
        said = str(error)
    else:
        assert GHAPEntry.from_dict(entry.to_dict()) == entry
    assert "\n" not in said
    assert said == "" or field in said


@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_refused_as_an_entry(content: bytes) -> None:
    with pytest.raises(InvalidEntryError):
        GHAPEntry.from_json(content)


OUTCOME = body()["outcome"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "an entry must be a JSON object, not a list"),
        (None, "an entry must be a JSON object, not null"),
        (body(goal=None), "goal is missing"),
        (body(goal=3), "goal must be text, not a number"),
        (body(goal=True), "goal must be text, not a boolean"),
        (body(id="a\nb"), "id must be 1 to 100 letters, digits, '_', '-', '.' or ':'"),
        (body(id="x" * 101), "id must be 1 to 100 letters, digits, '_', '-', '.' or ':'"),
        (body(session_id="../x"), "session_id must be 1 to 100 letters, digits, '_', '-', '.' or ':'"),
        (
            body(domain="debuging"),
            f"domain cannot be 'debuging'; choose one of {', '.join(member.value for member in Domain)}",
        ),
        (
            body(outcome=OUTCOME | {"status": []}),
            "outcome.status cannot be a list; choose one of confirmed, falsified, abandoned",
        ),
        (body(created_at="2025-12-03T14:15:00"), "created_at must be a time like 2025-12-03T14:30:22Z, with its zone"),
        (
            body(created_at="0001-01-01T00:00:00+14:00"),
            "created_at must be a time like 2025-12-03T14:30:22Z, with its zone",
        ),
        (body(created_at=1764771300), "created_at must be a time like 2025-12-03T14:30:22Z, with its zone"),
        (body(history={}), "history must be a list, not an object"),
        (
            body(history=[{"timestamp": "x"}]),
            "history[0].timestamp must be a time like 2025-12-03T14:30:22Z, with its zone",
        ),
        (body(iteration_count=0), "iteration_count must be a whole number from 1 to 1000000"),
        (body(iteration_count=True), "iteration_count must be a whole number from 1 to 1000000"),
        (body(outcome={"status": "confirmed"}), "outcome.result is missing"),
        (body(outcome=OUTCOME | {"auto_captured": "no"}), "outcome.auto_captured must be true or false, not text"),
        (body(lesson={}), "lesson.what_worked is missing"),
        (body(root_cause="x"), "root_cause must be a JSON object, not text"),
        (body(notes=["a", None]), "notes[1] must be text, not null"),
        (body(future=float("nan")), "future must not be NaN or infinite"),
    ],
)
def test_invalid_entry_is_refused_in_one_sentence_naming_the_field(value: Any, said: str) -> None:
    with pytest.raises(InvalidEntryError) as caught:
        GHAPEntry.from_dict(value)
    assert str(caught.value) == said
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, GHAPError)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[" * 100_000, '{"a": NaN}', '{"n": ' + "9" * 5000 + "}", b"\xff\xfe{}", PUBLISHED_LINE.encode("utf-16")],
)
def test_text_that_is_no_json_is_refused(content: str | bytes) -> None:
    with pytest.raises(InvalidEntryError):
        GHAPEntry.from_json(content)


def test_unknown_field_nested_too_deeply_is_refused() -> None:
    deep: Any = []
    for _ in range(60):
        deep = [deep]
    with pytest.raises(InvalidEntryError, match=r"^future is nested more than 50 deep$"):
        GHAPEntry.from_dict(body(future=deep))


def test_bom_is_passed_over() -> None:
    assert GHAPEntry.from_json(b"\xef\xbb\xbf" + PUBLISHED_LINE.encode()).to_json() == PUBLISHED_LINE
    assert GHAPEntry.from_json("\ufeff" + PUBLISHED_LINE).to_json() == PUBLISHED_LINE


def test_unknown_fields_are_kept_at_every_level() -> None:
    value = body(
        future={"a": [1]},
        history=[{"timestamp": "2025-12-03T14:15:00Z", "hypothesis": "h", "action": "a", "prediction": "p", "why": 1}],
        iteration_count=2,
        root_cause={"category": "c", "description": "d", "seen": True},
        lesson={"what_worked": "w", "weight": 0.5},
        outcome=OUTCOME | {"run": "x"},
    )
    assert GHAPEntry.from_dict(value).to_dict() == value


def test_missing_optional_fields_get_their_defaults() -> None:
    value = body()
    for name in ("history", "iteration_count", "outcome", "confidence_tier", "notes"):
        del value[name]
    entry = GHAPEntry.from_dict(value)
    assert (entry.history, entry.iteration_count, entry.outcome, entry.notes) == ([], 1, None, [])


def test_nul_and_lone_surrogates_become_replacement_characters() -> None:
    entry = GHAPEntry.from_json(json.dumps(body(goal="a\0b\ud800c", **{"x\ud800": "\udfff"})))
    assert entry.goal == "a\ufffdb\ufffdc"
    assert entry.extra == {"x\ufffd": "\ufffd"}


def test_special_characters_stay_as_they_are() -> None:
    goal = 'quotes " \\ tab\t line\n \u2028 \u2029 \x85 \x0b \x0c emoji \U0001f600'
    entry = GHAPEntry.from_dict(body(goal=goal))
    assert GHAPEntry.from_json(entry.to_json()).goal == goal


@pytest.mark.parametrize(("length", "warnings"), [(10_000, 0), (10_001, 1)])
def test_text_of_10_001_characters_is_cut_with_a_warning(
    length: int, warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        entry = GHAPEntry.from_dict(body(goal="\U0001f600" * length))
    assert entry.goal == "\U0001f600" * 10_000
    assert [record.getMessage() for record in caplog.records] == [
        "goal has 10001 characters and was cut to the first 10000"
    ] * warnings


@pytest.mark.parametrize("status", OutcomeStatus)
@pytest.mark.parametrize("auto", [True, False])
def test_tier_follows_from_status_and_capture(status: OutcomeStatus, auto: bool) -> None:
    entry = GHAPEntry.from_dict(body())
    entry.outcome = Outcome(status, "r", datetime.now(UTC), auto)
    expected = {True: ConfidenceTier.GOLD, False: ConfidenceTier.SILVER}[auto]
    if status is OutcomeStatus.ABANDONED:
        expected = ConfidenceTier.ABANDONED
    assert compute_confidence_tier(entry) is expected


def test_tier_of_an_unresolved_entry_is_an_error() -> None:
    with pytest.raises(ValueError, match="has no outcome yet"):
        compute_confidence_tier(GHAPEntry.from_dict(body(outcome=None)))


def test_public_signatures_can_be_resolved() -> None:
    assert typing.get_type_hints(GHAPEntry)["outcome"] == Outcome | None
