"""How good a hypothesis is: can it teach anything, whichever way the entry comes out?

Three things make it poor: it names nothing (empty, a placeholder, "something is wrong"); its prediction could not
come out false ("it should work", "we will see"); or the prediction only says the hypothesis again. Each of the three
is scored from 0 to 1, the least is the score, and below POOR_BELOW the entry is poor.

The first two are seen by words alone. For the third, words and embeddings must agree: good predictions share many
words with their hypothesis, and close meanings are the rule between the two. What a prediction adds (something
observed, a figure, the turn from "is not sent" to "is sent") raises how alike the two must be. Where the words leave
no doubt nothing is embedded. docs/quality.md has the measure of all this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ghap.local import GHAPEntry
from ghap.vocabulary import (
    BETTER,
    COMPLAINTS,
    DENIALS,
    EMPTY_IN_HYPOTHESIS,
    EMPTY_IN_PREDICTION,
    HOPES,
    OBSERVED,
    PLACEHOLDERS,
    TURNS,
    stem,
    stems,
    without,
    words,
)

VERSION = 1
"""Of these rules. Raise it with every change, and the entries that an older version judged are judged again."""

POOR_BELOW = 0.5

_READ = 2_000  # characters

Kind = Literal["vague", "unfalsifiable", "tautological"]


@dataclass(frozen=True)
class Statement:
    """What is judged: an entry's last hypothesis and prediction, and the goal they serve."""

    goal: str
    hypothesis: str
    prediction: str

    @classmethod
    def of(cls, entry: GHAPEntry) -> Statement:
        """That of `entry`, of each text the beginning: a model does not read on either."""
        return cls(entry.goal[:_READ], entry.hypothesis[:_READ], entry.prediction[:_READ])


@dataclass(frozen=True)
class Reason:
    """Why a hypothesis is poor: its kind, and one sentence for people."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Assessment:
    """A score from 0 to 1, to two places, and the reasons, none where it is not poor."""

    score: float
    reasons: tuple[Reason, ...] = ()

    @property
    def poor(self) -> bool:
        """Whether the entry's tier is to be bronze."""
        return self.score < POOR_BELOW


def in_doubt(statement: Statement) -> bool:
    """Whether `assess` needs to know how alike hypothesis and prediction are. Of good ones one in five is."""
    if not stems(statement.hypothesis) or not stems(statement.prediction):
        return False
    return _likeness_allowed(statement) < 1.0


def assess(statement: Statement, likeness: float = 0.0) -> Assessment:
    """Judge `statement`; `likeness` (see `ghap.likeness`) is asked for where it is `in_doubt`."""
    judged = [
        (round(score, 2), reason)
        for score, reason in (_hypothesis(statement), _prediction(statement), _difference(statement, likeness))
    ]
    return Assessment(
        score=min(score for score, _ in judged),
        reasons=tuple(reason for score, reason in judged if score < POOR_BELOW),
    )


# --- the hypothesis: does it name anything?


def _hypothesis(statement: Statement) -> tuple[float, Reason]:
    telling = without(stems(statement.hypothesis), EMPTY_IN_HYPOTHESIS)
    if _complains(statement.hypothesis):  # "something is wrong with the login", where the goal is to fix the login
        telling = without(telling, stems(statement.goal))
    if not stems(statement.hypothesis) or _placeholder(statement.hypothesis):
        return 0.0, Reason("vague", "The hypothesis is empty.")
    if not telling:
        return 0.2, Reason("vague", "The hypothesis names no cause: it says only that something is or will be so.")
    return min(1.0, 0.7 + 0.1 * len(telling)), Reason("vague", "")


def _complains(text: str) -> bool:
    return bool(_COMPLAINT.search(text)) or not _all_stems(text).isdisjoint(COMPLAINTS)


# --- the prediction: could it come out false?


def _prediction(statement: Statement) -> tuple[float, Reason]:
    text = statement.prediction
    if not stems(text) or _placeholder(text):
        return 0.0, Reason("unfalsifiable", "The prediction is empty.")
    if _FIGURE.search(text):
        return 1.0, Reason("unfalsifiable", "")
    foretold = stems(text)
    if _hopes(text):
        foretold = without(foretold, stems(f"{statement.goal} {statement.hypothesis}"))
    observed = not OBSERVED.isdisjoint(foretold)
    if _EITHER.search(text) or (not observed and (_shirks(text) or not without(foretold, EMPTY_IN_PREDICTION))):
        return 0.2, Reason(
            "unfalsifiable", "Nothing could show the prediction false: say what will be seen, or measured, and where."
        )
    return (0.9 if observed else 0.7), Reason("unfalsifiable", "")


def _hopes(text: str) -> bool:
    """Whether it promises that all will be well."""
    return not _all_stems(text).isdisjoint(HOPES)


def _shirks(text: str) -> bool:
    """Whether it leaves open what will be, tells of what one will know, or compares without a measure."""
    return bool(_OPEN.search(text) or _KNOWING.search(text) or not _all_stems(text).isdisjoint(BETTER))


# --- the two together: does the prediction say more than the hypothesis?


def _difference(statement: Statement, likeness: float) -> tuple[float, Reason]:
    score = 1.0 - 0.5 * max(0.0, likeness) / _likeness_allowed(statement)
    return max(0.0, score), Reason("tautological", "The prediction only says the hypothesis again.")


def _likeness_allowed(statement: Statement) -> float:
    """The likeness from which on the prediction says nothing but the hypothesis; 1 where no likeness could show it."""
    said, foretold = stems(statement.hypothesis), stems(statement.prediction)
    new = without(without(foretold, said), EMPTY_IN_PREDICTION)
    turned = _turned(statement.hypothesis, statement.prediction)
    observed = bool(_FIGURE.search(statement.prediction)) or not OBSERVED.isdisjoint(new)
    if observed and len(new) > 1:
        return 1.0
    if observed or turned:
        return 0.97
    return 0.7 if new else 0.6


def _turned(said: str, foretold: str) -> bool:
    """Whether one denies where the other does not, or the prediction tells of an end or a beginning."""
    before, after = _all_stems(said), _all_stems(foretold)
    return before.isdisjoint(DENIALS) != after.isdisjoint(DENIALS) or not (after - before).isdisjoint(TURNS)


def _all_stems(text: str) -> set[str]:
    return {stem(word) for word in words(text)}


def _placeholder(text: str) -> bool:
    return " ".join(words(text)) in PLACEHOLDERS


_COMPLAINT = re.compile(
    r"\b(not|n['’]t|never)\b.*\b(work|behav|right|function|properly|correctly|expected)", re.IGNORECASE
)

_OPEN = re.compile(
    r"\b(may|might|could|perhaps|maybe|possibly|potentially|hopefully|probably|something|somehow)\b", re.IGNORECASE
)

_EITHER = re.compile(
    r"\b(may|might|could|will|can) or (may|might|could|will|can)( ?not|n['’]t)\b"
    r"|\bor (stays?|remains?|is|are) (as|the same|unchanged)\b|\bor (it )?(does|will|is|do|are)( ?not|n['’]t)$",
    re.IGNORECASE,
)

_KNOWING = re.compile(
    r"\b(i|we|you|one)\b(['’]ll| will| would| should| can| to| am| are)*( \w+)? "
    r"(learn|know|understand|find out|see(?=\W*$| (what|if|whether|how)\b))"
    r"|\b(gain|more|better|deeper|some|new) (\w+ )?(insight|understanding|knowledge|information|clarity|idea)",
    re.IGNORECASE,
)

# What only an observation has: a figure, something quoted, code, a path, an option, a name in capitals.
_FIGURE = re.compile(
    r"\d|`|[\"“”„]|'[^' ][^']*'|\w_\w|\w\.\w|(?:^|\s)--?\w|(?:^|\s)[\w.~]*/\w|\(\)|[<>=]|[a-z][A-Z]|\b[A-Z]{3,}\b"
)
