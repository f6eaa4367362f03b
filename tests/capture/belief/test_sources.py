from __future__ import annotations

from itertools import permutations

import pytest

from capture.belief.sources import SOURCES, better, derive


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        (["stored by hand"], "agent"),
        (["the command worked after it had failed", "seen in the output of commands"], "observed"),
        (["said when rejecting a tool call", "a person's own words"], "observed"),
        (["said after stopping a tool call", "a person's own words"], "observed"),
        (["a person's own words"], "stated"),
        ([], "stated"),
    ],
    ids=["by hand", "output of commands", "refused call", "stopped call", "prose", "no reasons"],
)
def test_source_is_derived_from_the_reasons_of_older_clients(reasons: list[str], expected: str) -> None:
    assert derive(reasons) == expected


def test_better_source_is_the_more_direct_one_in_either_order() -> None:
    pairs = sorted(permutations(SOURCES, 2))
    assert {(first, second): better(first, second) for first, second in pairs} == {
        ("agent", "observed"): "agent",
        ("agent", "stated"): "agent",
        ("observed", "agent"): "agent",
        ("observed", "stated"): "observed",
        ("stated", "agent"): "agent",
        ("stated", "observed"): "observed",
    }
