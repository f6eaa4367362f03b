"""Which outcomes of tool calls (see `memoryserver.common.outcomes`) count, and for what.

Only an error counts against the agent. What a person, a rule, an interruption or a provider stopped says
nothing about it: that neither lengthens a streak of failures nor ends it.
"""

from __future__ import annotations

from memoryserver.common.outcomes import (
    CANCELLED,
    DENIAL,
    ERROR,
    NO_MATCH,
    OK,
    PROVIDER,
    REJECTION,
    answers_by_exit,
    classify,
    exit_status,
)

__all__ = [
    "CANCELLED",
    "DENIAL",
    "ERROR",
    "NEUTRAL",
    "NO_MATCH",
    "OK",
    "OUTCOMES",
    "PROVIDER",
    "REJECTION",
    "SUCCESSES",
    "answers_by_exit",
    "classify",
    "exit_status",
]

SUCCESSES = frozenset({OK, NO_MATCH})
NEUTRAL = frozenset({REJECTION, DENIAL, CANCELLED, PROVIDER})
OUTCOMES = SUCCESSES | NEUTRAL | {ERROR}
