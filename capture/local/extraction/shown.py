"""What the memory has shown to an agent: it is not learned again where the agent repeats it in other words.

The agent's own transcript has the results of our commands and tools; the context that its session began with is on the
laptop. A learning that was deleted would otherwise come back, as somebody else's, and count as seen again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from capture.local.extraction.sentence_filters import uncommon_words
from capture.local.transcripts.messages import ToolUse

_LONGEST = 20_000  # characters that are remembered, of which the oldest go first
_LINES = 3  # over which a text that was wrapped to the terminal's width may go on
_MOST_OF = 0.75  # of a statement's telling words
_OUR_TOOL = re.compile(r"mcp__\w*memory\w*__(?:search_memory|get_memory|get_context|timeline)\b")
_OUR_COMMAND = re.compile(r"(?:^|[;&|]\s*)memory (?:search|show|context)\b")
_NEGATION = re.compile(r"\b(?:not?|never|without|cannot|no longer)\b|n['\u2019]t\b", re.IGNORECASE)
_FIGURE = re.compile(r"\d[\d.,]*")


class Shown:
    """The texts that were shown; `lines` is what is remembered for the next reading."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self.lines = list(lines)
        self._windows: list[tuple[frozenset[str], int]] | None = None

    def add(self, text: str) -> None:
        """Remember a text that was shown."""
        self.lines += filter(None, map(str.strip, text.splitlines()))
        length = sum(map(len, self.lines))
        while length > _LONGEST:
            length -= len(self.lines.pop(0))
        self._windows = None

    def repeats(self, statement: str) -> bool:
        """Return whether `statement` says nothing that was not shown: its words are there, its figures and negations.

        One that contradicts what was shown, or corrects a figure, is new.
        """
        if not self.lines:
            return False
        words, figures = uncommon_words(statement), set(_FIGURE.findall(statement))
        negations = len(_NEGATION.findall(statement))
        return any(
            len(words & shown) >= _MOST_OF * len(words) > 0 and figures <= shown and negations <= denied
            for shown, denied in self._shown()
        )

    def _shown(self) -> list[tuple[frozenset[str], int]]:
        """Return the words and the number of negations of each of some neighbouring lines."""
        if self._windows is None:
            texts = ("\n".join(self.lines[start : start + _LINES]) for start in range(len(self.lines)))
            self._windows = [
                (frozenset(uncommon_words(text) | set(_FIGURE.findall(text))), len(_NEGATION.findall(text)))
                for text in texts
            ]
        return self._windows


def is_ours(use: ToolUse | None) -> bool:
    """Return whether a call asked what the memory holds: one of our tools, or our command in a shell."""
    if use is None:
        return False
    return _OUR_TOOL.match(use.name) is not None or (
        "memory " in use.raw_command and _OUR_COMMAND.search(use.raw_command) is not None
    )
