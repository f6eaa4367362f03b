"""What must be told and what must not, in pairs that differ by one thing."""

from __future__ import annotations

import pytest

from tests.trajectory.local import twins
from trajectory.local import replay


@pytest.mark.parametrize("pair", twins.PAIRS, ids=lambda pair: pair.name)
def test_stuck_run_is_noticed(pair: twins.Pair) -> None:
    assert pair.speaks in twins.spoken(pair.stuck, pair.configs)


@pytest.mark.parametrize("pair", twins.PAIRS, ids=lambda pair: pair.name)
def test_healthy_twin_is_left_alone(pair: twins.Pair) -> None:
    assert twins.spoken(pair.healthy, pair.configs) == set()


@pytest.mark.parametrize("pair", twins.PAIRS, ids=lambda pair: pair.name)
def test_agent_that_is_stuck_gets_a_short_message_and_its_twin_none(pair: twins.Pair) -> None:
    stuck, healthy = (replay.run(calls, configs=pair.configs).notifications for calls in (pair.stuck, pair.healthy))
    assert stuck
    assert max(len(message.text) for message in stuck) <= 600
    assert healthy == []


def test_names_of_the_pairs_differ() -> None:
    assert len({pair.name for pair in twins.PAIRS}) == len(twins.PAIRS)
