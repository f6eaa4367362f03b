"""The sources of learnings: the agent itself, what happened, what was said; best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

Source = Literal["agent", "observed", "stated"]
SOURCES: tuple[Source, ...] = get_args(Source)

# Reasons that the extractor gives for what it took from calls rather than from prose. Clients that do not send the
# source send these, and so do the rows of before.
_OBSERVED_REASONS = frozenset(
    {"seen in the output of commands", "said when rejecting a tool call", "said after stopping a tool call"}
)
_BY_HAND = "stored by hand"


def derive(reasons: Sequence[str]) -> Source:
    """Return the source of a learning whose client did not send it, by the `reasons` for its confidence."""
    if _BY_HAND in reasons:
        return "agent"
    return "observed" if _OBSERVED_REASONS.intersection(reasons) else "stated"


def better(first: str, second: str) -> Source:
    """Return the better one of two sources."""
    return next(source for source in SOURCES if source in (first, second))
