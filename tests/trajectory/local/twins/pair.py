"""A pair of runs that look alike, and how one is judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.trajectory.local.twins.calls import Call
from trajectory.local import DEFAULT_OBSERVERS, ObserverConfig, replay


@dataclass(frozen=True)
class Pair:
    """Two runs; `speaks` is the observer that must speak in `stuck`. In `healthy` nobody may, above "info"."""

    name: str
    speaks: str
    stuck: Sequence[Call]
    healthy: Sequence[Call]
    configs: Sequence[ObserverConfig] = field(default=DEFAULT_OBSERVERS)


def spoken(calls: Iterable[Call], configs: Sequence[ObserverConfig]) -> set[str]:
    """The observers that found something above "info" in `calls`, told or not."""
    return {found.observer_name for _, found in replay.run(calls, configs=configs).noted if found.severity != "info"}


def is_right(pair: Pair) -> bool:
    """Whether the pair comes out as it must."""
    return pair.speaks in spoken(pair.stuck, pair.configs) and not spoken(pair.healthy, pair.configs)
