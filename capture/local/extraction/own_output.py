"""Recognizes this product's own output, so that what it shows to an agent is never captured as a learning."""

from __future__ import annotations

import re

# Texts that are injected into agents' contexts begin with these. Where an agent repeats one, the rest is not new.
_INJECTED = re.compile(
    r"^[>\s#*`-]*(?:Automated assessment of your recent tool calls\.|Automated check of your tool calls: "
    r"|Trajectory Assessment\b"
    r"|The following is an automated assessment of your recent activity\."
    r"|What the team's memory holds on this project\.|Quoted from the memory of earlier sessions:"
    r"|(?<=# )Memory of \S.{0,100}$|Quoted from what was recorded before;"
    r"|GHAP check-in: the entry|The GHAP entry \S+ is "
    r"|The check of the GHAP entry \S+ (?:ran|crashed)|An earlier session left the GHAP entry"
    r"|.{0,200}\ba later session would be glad to know\b)",
    re.MULTILINE,
)
_HINTS = (
    "utomated assessment of",
    "utomated check of",
    "Trajectory Assessment",
    "GHAP",
    "# Memory of ",
    "team's memory holds",
    "Quoted from ",
    "a later session would be glad to know",
)

# The wordings of learnings that capture writes itself, as a search returns them.
_OWN_WORDING = re.compile(
    r"\bthe person (?:rejected|stopped) .{1,300} and said: \u201c|\bto \u201c.{1,300}\u201d the person said: \u201c"
    r"|\basked \u201c.{1,600}\u201d, the person "
    r"answered: \u201c"
    r"|`[^`]+` failed with \u201c|\btests are run with `[^`]+` \("
    r"|\bthe project's [a-z ,]{4,80} runs? with `",
    re.IGNORECASE,
)

_OWN_HINTS = ("\u201c", "ests are run", "roject's ")


def without_injected(text: str) -> str:
    """Return `text` up to where it repeats a text that was injected into the agent's context."""
    if not any(hint in text for hint in _HINTS):
        return text
    match = _INJECTED.search(text)
    return text[: match.start()] if match else text


def repeats_learning(sentence: str) -> bool:
    """Return whether `sentence` has the wording of a learning that capture writes itself."""
    return any(hint in sentence for hint in _OWN_HINTS) and _OWN_WORDING.search(sentence) is not None
