"""Literals that every match of a pattern contains."""

from __future__ import annotations

import pytest

from capture.local.extraction.rules.required_literals import BOUNDARY as B
from capture.local.extraction.rules.required_literals import key_word, rarest, required_literals


def requirements(pattern: str) -> list[set[str]]:
    return [set(literals) for literals in required_literals(pattern)]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("cause", [{"cause"}]),
        (r"\bcause\b", [{f"{B}cause{B}"}]),
        ("^cause$", [{f"{B}cause"}]),
        ("cause|reason", [{"cause", "reason"}]),
        ("the (?:root )?cause", [{"the cause", "the root cause"}]),
        ("colou?r", [{"color", "colour"}]),
        ("colou*r", [{"colo"}, {"r"}]),
        ("(?:ab){2,3}c", [{"ab"}, {"c"}]),
        ("(?:ab){,3}c", [{"c"}]),
        ("(?:ab){0}c", [{"c"}]),
        ("(?:ab)??c", [{"c", "abc"}]),
        ("fix.{5,}bug", [{"fix"}, {"bug"}]),
        (r"\w+ing", [{"ing"}]),
        ("deseriali[sz]e", [{"deserialise", "deserialize"}]),
        ("[a-z]x", [{"x"}]),
        ("[^ab]x", [{"x"}]),
        (r"[\d]x", [{"x"}]),
        (r"[]\-]x", [{"]x", "-x"}]),
        (r"\$\.", [{"$."}]),
        (r"a\u2014b", [{"a\u2014b"}]),
        ("a{x}", [{"a{x}"}]),
        (r"no(?! more)\b", [{f"no{B}"}]),
        (r"(?<!un)done", [{"done"}]),
        ("(?:left .* over|right)", [{" over", "right"}]),
        ("(?:left .* over|.+)", []),
        (r"\w+", []),
        (" .", []),
        ("", []),
    ],
)
def test_requirements_of_a_pattern(pattern: str, expected: list[set[str]]):
    assert requirements(pattern) == expected


def test_word_after_an_optional_group_that_ends_with_a_blank_begins_at_a_boundary():
    assert requirements(r"\bthe (?:\w+ )?cause") == [{f"{B}the "}, {f"{B}cause"}]
    assert requirements(r"\bthe (?:\w+)?cause") == [{f"{B}the "}, {"cause"}]


def test_group_after_a_boundary_begins_with_it():
    assert requirements(r"\b(?:cause.+|reason)") == [{f"{B}cause", f"{B}reason"}]


def test_too_many_alternatives_are_split_into_two_requirements():
    letters = "(?:a|b|c|d|e|f|g)"
    assert requirements(f"{letters}{letters}") == [set("abcdefg"), set("abcdefg")]


@pytest.mark.parametrize("pattern", ["(a", "a)", "(?P<n>a)", "(?i)a", r"\x41", r"(a)\1", r"\N{DASH}"])
def test_unsupported_or_broken_syntax_raises_value_error(pattern: str):
    with pytest.raises(ValueError, match="parenthesis|unsupported"):
        required_literals(pattern)


def test_rarest_requirement_has_few_long_words_with_known_beginnings():
    assert rarest([frozenset({f"{B}is"}), frozenset({f"{B}culprit"})]) == {f"{B}culprit"}
    assert rarest([frozenset({"ulprit"}), frozenset({f"{B}was"})]) == {f"{B}was"}
    assert rarest([frozenset({f"{B}crash", f"{B}hang"}), frozenset({f"{B}crash"})]) == {f"{B}crash"}
    assert rarest([]) == frozenset()


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("cause", "cause"),
        (f"{B}the root cause", f"{B}cause"),
        (f"{B}without login{B}", f"{B}login{B}"),
        ("longer off ", f"{B}off{B}"),
        (" -> ", "->"),
    ],
)
def test_key_word_is_the_rarest_with_marks_where_its_ends_are_known(literal: str, expected: str):
    assert key_word(literal) == expected
