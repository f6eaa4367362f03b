"""Regular expressions that are matched against text in lower case."""

from __future__ import annotations

import pytest

from capture.local.extraction.patterns import one_of, wording


def test_letters_of_a_wording_are_lowered() -> None:
    assert wording("I Found").search("then i found it") is not None


@pytest.mark.parametrize(("source", "text"), [(r"\Bx", "ax"), (r"\Sx", "ax"), (r"\W", " "), (r"\D", "a")])
def test_escapes_keep_their_meaning(source: str, text: str) -> None:
    assert wording(source).search(text) is not None


def test_one_of_is_any_of_the_words() -> None:
    pattern = wording(rf"^{one_of('use using ad(?:d|ds)')}$")
    assert [bool(pattern.match(word)) for word in ("use", "using", "adds", "used", "")] == [True] * 3 + [False] * 2
