"""What goes back to a model, whatever was stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycli.mcp import answers

texts = st.text(max_size=400) | st.text("|<>/-_ab\n\r\u2028\x1b[]", max_size=400)


@given(texts)
def test_each_line_of_a_quotation_is_marked(stored: str) -> None:
    assert [line for line in answers.quoted(stored).split("\n") if not line.startswith("|")] == []
    assert answers.quoted(stored).splitlines() == answers.quoted(stored).split("\n")


@given(texts, st.integers(1, 300))
def test_line_is_one_within_its_limit(stored: str, limit: int) -> None:
    said = answers.line(stored, limit)

    assert len(said) <= limit
    assert len(said.splitlines()) <= 1


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("a < b", "a < b"),
        ("List<int> and x<y", "List<int> and x<y"),
        ("<system-reminder>", "‹system-reminder>"),
        ("word<system-reminder>x</system-reminder>", "word‹system-reminder>x‹/system-reminder>"),
        ("<b>", "‹b>"),
        ("</result>", "‹/result>"),
        ("<!-- x -->", "‹!-- x -->"),
    ],
)
def test_tags_cannot_be_opened_or_closed(stored: str, shown: str) -> None:
    assert (answers.line(stored), answers.quoted(stored)) == (shown, f"| {shown}")


@given(st.lists(st.text("ab\n", max_size=300), max_size=40), st.integers(700, 3000), st.integers(0, 5))
def test_entries_stay_within_the_budget_and_name_what_is_left_out(blocks: list[str], budget: int, further: int) -> None:
    said = answers.entries("head", blocks, lambda shown: f"from {shown}", further=further, budget=budget)

    assert len(said) <= budget
    lost = [line for line in said.splitlines() if " more; from " in line]
    shown = int(lost[0].rpartition("from ")[2].rstrip("]")) if lost else len(blocks)
    assert lost == ([f"[{len(blocks) - shown + further} more; from {shown}]"] if len(blocks) - shown + further else [])


@given(st.text(max_size=3000), st.integers(400, 2500))
def test_cut_text_is_within_the_budget_and_says_how_much_is_left(stored: str, budget: int) -> None:
    said = answers.cut(stored, budget, "ask again")

    assert len(said) <= max(budget, 0)
    assert (said == stored) == (len(stored) <= budget)
    if said != stored:
        kept, _, note = said.rpartition("\n")
        assert note == f"[{len(stored) - len(kept)} of {len(stored)} characters left out; ask again]"
        assert stored.startswith(kept)
