"""Private parts are cut however their tags are written."""

from __future__ import annotations

import pytest

from memoryserver.common.private_parts import cut_private


def cut(text: str) -> str:
    return cut_private(text, lambda: "#")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a # c"),
        ('a <private reason="client">b\nc</private> d', "a # d"),
        ("a <private >b</private > c", "a # c"),
        ("a <PRIVATE type=x>b</Private> c", "a # c"),
        ("a < private >b< / private > c", "a # c"),
        ("a &lt;private&gt;b&lt;/private&gt; c", "a # c"),
        ("a \\u003cprivate\\u003eb\\u003c/private\\u003e c", "a # c"),
        ("a %3Cprivate%3Eb%3C%2Fprivate%3E c", "a # c"),
        ("a <private>b</private>c<private>d</private>", "a #c#"),
        ("a <private>b<private>c</private>d</private> e", "a # e"),
        ("a <private>never closed", "a #"),
        ("a <private reason=", "a #"),
        ("the end of what was cut</private> a", "# a"),
        ("List<privateKey> and <private-route/> x", "List<privateKey> and #"),
        ("private parts, a <b>private</b> word", "private parts, a <b>private</b> word"),
        ("", ""),
    ],
)
def test_part_is_cut_and_the_rest_stays(text: str, left: str) -> None:
    assert cut(text) == left


def test_placeholder_is_asked_for_once_for_each_part() -> None:
    numbers = iter("12345")
    assert cut_private("<private>a</private> b <private>c", lambda: next(numbers)) == "1 b 2"


@pytest.mark.parametrize("text", ["a # b", "[redacted:private]", "x [redacted:private] y"])
def test_text_without_tags_does_not_change(text: str) -> None:
    assert cut(text) == text
