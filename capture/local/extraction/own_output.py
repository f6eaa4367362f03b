"""Knows what this product itself has said, so that what it told an agent never comes back as something learned."""

from __future__ import annotations

import re

# What is put into agents' contexts begins so: an agent that repeats it says nothing new from there on.
_INJECTED = re.compile(
    r"^[>\s#*`-]*(?:Automated assessment of your recent tool calls\.|Trajectory Assessment\b"
    r"|The following is an automated assessment of your recent activity\."
    r"|What the team's memory holds on this project\.|Quoted from the memory of earlier sessions:"
    r"|(?<=# )Memory of \S.{0,100}$|Quoted from what was recorded before;"
    r"|GHAP check-in: the entry|The GHAP entry \S+ is "
    r"|The check of the GHAP entry \S+ ran|An earlier session left the GHAP entry)",
    re.MULTILINE,
)
_HINTS = (
    "utomated assessment of",
    "Trajectory Assessment",
    "GHAP",
    "# Memory of ",
    "team's memory holds",
    "Quoted from ",
)

# Learnings that capture words itself, as they come back from a search.
_WORDED = re.compile(
    r"\bthe person (?:rejected|stopped) .{1,300} and said: \u201c|\basked \u201c.{1,600}\u201d, the person "
    r"answered: \u201c"
    r"|`[^`]+` failed with \u201c|\btests are run with `[^`]+` \(",
    re.IGNORECASE,
)


def without_injected(text: str) -> str:
    """`text` up to where it repeats what was put into the agent's context."""
    if not any(hint in text for hint in _HINTS):
        return text
    found = _INJECTED.search(text)
    return text[: found.start()] if found else text


def repeats_learning(sentence: str) -> bool:
    """Whether `sentence` is worded as capture words a learning of its own making."""
    return ("\u201c" in sentence or "ests are run" in sentence) and _WORDED.search(sentence) is not None
