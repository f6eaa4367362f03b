"""Pairs of runs that look alike: in one the agent is stuck and must be told, its twin must be left alone.

Each pair is a shape in which a detector somewhere was wrong. They are data, so that the tests and the benchmark
read the same ones.
"""

from __future__ import annotations

from tests.trajectory.local.twins.answers import ANSWERS
from tests.trajectory.local.twins.calls import bad, bash, edit, read
from tests.trajectory.local.twins.edits import EDITS
from tests.trajectory.local.twins.effects import EFFECTS
from tests.trajectory.local.twins.errors import ERRORS
from tests.trajectory.local.twins.pair import Pair, is_right, spoken
from tests.trajectory.local.twins.results import RESULTS
from tests.trajectory.local.twins.rounds import ROUNDS
from tests.trajectory.local.twins.stretches import STRETCHES
from tests.trajectory.local.twins.waiting import WAITING

__all__ = ["PAIRS", "Pair", "bad", "bash", "edit", "is_right", "read", "spoken"]

PAIRS = RESULTS + WAITING + ROUNDS + ANSWERS + ERRORS + EDITS + EFFECTS + STRETCHES
