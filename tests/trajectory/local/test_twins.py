"""What must be told and what must not, in pairs that differ by one thing."""

from __future__ import annotations

import pytest

from tests.trajectory.local import twins


@pytest.mark.parametrize("pair", twins.PAIRS, ids=lambda pair: pair.name)
def test_stuck_run_is_noticed(pair: twins.Pair) -> None:
    assert pair.speaks in twins.spoken(pair.stuck, pair.configs)


@pytest.mark.parametrize("pair", twins.PAIRS, ids=lambda pair: pair.name)
def test_healthy_twin_is_left_alone(pair: twins.Pair) -> None:
    assert twins.spoken(pair.healthy, pair.configs) == set()


def test_names_of_the_pairs_differ() -> None:
    assert len({pair.name for pair in twins.PAIRS}) == len(twins.PAIRS)
