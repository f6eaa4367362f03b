"""An entry in a terminal of 80 columns."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghap.local import GHAPEntry
from ghap.local.rendering import render, summary
from tests.ghap.local.samples import PUBLISHED_CURRENT, body, entries

LONG = "Why " + "word " * 40 + "https://example.org/" + "x" * 100

EXPECTED = """\
ghap_20251203_143022_a1b2c3  debugging, systematic-elimination
begun 2025-12-03 14:30 UTC in session_20251203_140000_x7y8z9

Goal        Fix flaky test in test_cache.py
Check       pytest tests/test_cache.py

1  2025-12-03 14:30 UTC
|  Hypothesis  Timing issue with cache expiry check running before cache
|              actually expires
|  Action      Adding explicit sleep to allow cache expiry
|  Prediction  Test passes with the added delay
2  2025-12-03 15:00 UTC  now
   Hypothesis  The flakiness is caused by test pollution from previous test
               leaving cache state
   Action      Adding teardown to clean cache state between tests
   Prediction  Test will pass consistently when run in isolation and in sequence

Notes
   - Checked logs, no timing issues visible in timestamps"""


def test_active_entry_is_a_timeline() -> None:
    value = GHAPEntry.from_json(PUBLISHED_CURRENT).to_dict()
    entry = GHAPEntry.from_dict(
        value | {"check": "pytest tests/test_cache.py", "current_since": "2025-12-03T15:00:00Z"}
    )
    assert render(entry) == EXPECTED


def test_past_iterations_show_only_what_was_new() -> None:
    past = [
        {"timestamp": f"2025-12-03T14:1{number}:00Z", "hypothesis": h, "action": "A", "prediction": "P"}
        for number, h in enumerate(["first", "second"])
    ]
    entry = GHAPEntry.from_dict(body(history=past, iteration_count=3, hypothesis="third", action="A", prediction="P"))
    assert render(entry).split("\n")[5:15] == [
        "1  2025-12-03 14:10 UTC",
        "|  Hypothesis  first",
        "|  Action      A",
        "|  Prediction  P",
        "2  2025-12-03 14:11 UTC",
        "|  Hypothesis  second",
        "3  2025-12-03 14:11 UTC",
        "   Hypothesis  third",
        "   Action      A",
        "   Prediction  P",
    ]


def test_iterations_are_numbered_from_1_whatever_the_file_counts() -> None:
    past = [{"timestamp": "2025-12-03T14:10:00Z", "hypothesis": "h", "action": "A", "prediction": "P"}] * 3
    lines = render(GHAPEntry.from_dict(body(history=past, iteration_count=1))).split("\n")
    assert [line[0] for line in lines if line.endswith("UTC") and line[0].isdigit()] == ["1", "2", "3", "4"]


def test_outcome_shows_what_was_learned() -> None:
    outcome = body()["outcome"] | {"status": "falsified", "result": "one\ntwo", "auto_captured": True}
    learned = {
        "root_cause": {"category": "oversight", "description": "d"},
        "lesson": {"what_worked": "w", "takeaway": "t"},
    }
    entry = GHAPEntry.from_dict(body(outcome=outcome, confidence_tier="gold", surprise="s", **learned))
    assert render(entry).split("\n")[-8:] == [
        "Outcome",
        "   falsified (gold, by its check), 2025-12-03 14:20 UTC",
        "   Result      one",
        "               two",
        "   Surprise    s",
        "   Root cause  oversight: d",
        "   Worked      w",
        "   Takeaway    t",
    ]


def columns(line: str) -> int:
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in line
    )


@given(entries)
def test_no_line_is_wider_than_80_columns_or_steers_the_terminal(entry: GHAPEntry) -> None:
    for line in [*render(entry).split("\n"), summary(entry)]:
        assert columns(line) <= 80
        assert not any(unicodedata.category(c) == "Cc" for c in line)


@pytest.mark.parametrize("text", [LONG, "日本語のテキスト" * 30, "\x1b[31mred\x1b[0m \x07" * 20, "a\u2028b\r\nc" * 40])
def test_long_wide_and_hostile_texts_fit(text: str) -> None:
    entry = GHAPEntry.from_dict(body(goal=text, notes=[text], surprise=text))
    test_no_line_is_wider_than_80_columns_or_steers_the_terminal.hypothesis.inner_test(entry)  # type: ignore[attr-defined]


@given(st.text(max_size=300), st.integers(60, 120))
def test_summary_is_one_line_of_at_most_its_width(goal: str, width: int) -> None:
    line = summary(GHAPEntry.from_dict(body(goal=goal)), width=width)
    assert "\n" not in line
    assert columns(line) <= width
    assert line.startswith("ghap_20251203_141500_b2c3d4  confirmed   1x  ")
