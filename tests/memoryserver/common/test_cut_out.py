"""Words about what was cut out as secret."""

from __future__ import annotations

from memoryserver.common import cut_out


def test_kinds_are_counted_and_nothing_is_said_without_any() -> None:
    assert cut_out.note({"password": 1, "github-token": 2}) == (
        "cut out as secret: password, 2 github-token; the rest is stored"
    )
    assert cut_out.note({}) == ""


def test_secrets_of_nested_values_are_told_and_those_that_were_cut_before_are_not() -> None:
    before = {"message": "password=[redacted:password]", "data": {"password": "hunter2xyz", "n": [1, None]}}

    assert cut_out.note_of(before) == "cut out as secret: password; the rest is stored"
    assert cut_out.note_of("token: [redacted:password]", ["plain"]) == ""
