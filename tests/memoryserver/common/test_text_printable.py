"""Text as a person may see it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common.text import printable


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("a\r\nb\rc\u2028d\x85e\x0bf", "a\nb\nc\nd\ne\nf"),
        ("\x07bell\x7f\x9b2Jclear", "bellclear"),
        ("exe\u202etxt.\u2066x", "exetxt.x"),
        ("nul\x00 half \ud83d", "nul\ufffd half \ufffd"),
    ],
)
def test_sequences_controls_and_directions_are_taken_out(text, seen):
    assert printable(text) == seen


@given(st.text())
def test_any_text_has_no_control_but_tab_and_line_feed(text):
    assert [c for c in printable(text) if unicodedata.category(c) == "Cc" and c not in "\t\n"] == []
