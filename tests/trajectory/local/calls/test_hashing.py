"""Two calls are the same by all of their arguments, two results by all of their content."""

from __future__ import annotations

import pytest

from trajectory.local.calls import hashing


def test_order_of_keys_makes_no_difference():
    assert hashing.of_arguments({"a": 1, "b": 2}) == hashing.of_arguments({"b": 2, "a": 1})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"file_path": "a", "offset": 0}, {"file_path": "a", "offset": 40}),
        ({"command": "x" * 5000 + "1"}, {"command": "x" * 5000 + "2"}),
        ({"title": "t", "description": "one"}, {"title": "t", "description": "two"}),
        ({"n": 1}, {"n": "1"}),
        ({"s": "\ud83d"}, {"s": "\ufffd"}),
    ],
)
def test_any_difference_in_arguments_makes_another_call(one, other):
    assert hashing.of_arguments(one) != hashing.of_arguments(other)


def test_comment_on_a_command_makes_no_difference():
    one, other = ({"command": "ls", "description": word} for word in ("List", "List again"))
    assert hashing.of_arguments(one, is_command=True) == hashing.of_arguments(other, is_command=True)


def test_duration_in_a_result_makes_no_difference():
    one, other = ({"stdout": "3", "durationMs": n} for n in (5, 6))
    assert hashing.of_result(one) == hashing.of_result(other)


@pytest.mark.parametrize("empty", [None, "", [], {}, {"durationMs": 3}])
def test_empty_result_has_no_hash(empty):
    assert hashing.of_result(empty) == ("", 0)
