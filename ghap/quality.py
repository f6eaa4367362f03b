"""Quality of hypotheses: does an entry teach anything, whatever its outcome?

A hypothesis is poor if it is vague (empty, a placeholder, "something is wrong"), if its prediction is unfalsifiable
("it should work", "we will see"), or if the prediction only repeats it. Each criterion has a score from 0 to 1; the
lowest is the entry's score, and below POOR_BELOW the entry is poor.

The first two criteria use words only. For the third, words and embeddings must agree, since good predictions also share
many words and much meaning with their hypothesis. What a prediction adds (an observation, a figure, the change from "is
not sent" to "is sent") raises the required similarity. Nothing is embedded if the words are conclusive. docs/quality.md
has the measurements.
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
"""Version of the rules. Raise it with every change, so that entries assessed by older rules are assessed again."""

POOR_BELOW = 0.5

_MAX_CHARS = 2_000

Kind = Literal["vague", "unfalsifiable", "tautological"]


@dataclass(frozen=True)
class Statement:
    """The texts that are assessed: an entry's goal, and its last hypothesis and prediction."""

    goal: str
    hypothesis: str
    prediction: str

    @classmethod
    def of(cls, entry: GHAPEntry) -> Statement:
        """Return the statement of `entry`, with each text cut to _MAX_CHARS, beyond the input limit of models."""
        return cls(entry.goal[:_MAX_CHARS], entry.hypothesis[:_MAX_CHARS], entry.prediction[:_MAX_CHARS])


@dataclass(frozen=True)
class Reason:
    """Why a hypothesis is poor: its kind, and one sentence for people."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Assessment:
    """A score from 0 to 1, rounded to two digits, and the reasons if it is poor."""

    score: float
    reasons: tuple[Reason, ...] = ()

    @property
    def poor(self) -> bool:
        """Return whether the hypothesis is poor, so that the entry's tier is bronze."""
        return self.score < POOR_BELOW


def in_doubt(statement: Statement) -> bool:
    """Return whether `assess` needs the similarity of hypothesis and prediction; true for one in five good entries."""
    if not stems(statement.hypothesis) or not stems(statement.prediction):
        return False
    return _max_likeness(statement) < 1.0


def assess(statement: Statement, likeness: float = 0.0) -> Assessment:
    """Assess `statement`; `likeness` (see `ghap.likeness`) is only used if it is `in_doubt`."""
    scored = [
        (round(score, 2), reason)
        for score, reason in (_hypothesis(statement), _prediction(statement), _difference(statement, likeness))
    ]
    return Assessment(
        score=min(score for score, _ in scored),
        reasons=tuple(reason for score, reason in scored if score < POOR_BELOW),
    )


# --- vague hypotheses


def _hypothesis(statement: Statement) -> tuple[float, Reason]:
    specific = without(stems(statement.hypothesis), EMPTY_IN_HYPOTHESIS)
    if _complains(statement.hypothesis):  # "something is wrong with the login" if the goal is to fix the login
        specific = without(specific, stems(statement.goal))
    if not stems(statement.hypothesis) or _placeholder(statement.hypothesis):
        return 0.0, Reason("vague", "The hypothesis is empty.")
    if not specific:
        return 0.2, Reason("vague", "The hypothesis names no cause: it says only that something is or will be so.")
    return min(1.0, 0.7 + 0.1 * len(specific)), Reason("vague", "")


def _complains(text: str) -> bool:
    return bool(_COMPLAINT.search(text)) or not _all_stems(text).isdisjoint(COMPLAINTS)


# --- unfalsifiable predictions


def _prediction(statement: Statement) -> tuple[float, Reason]:
    text = statement.prediction
    if not stems(text) or _placeholder(text):
        return 0.0, Reason("unfalsifiable", "The prediction is empty.")
    if _FIGURE.search(text):
        return 1.0, Reason("unfalsifiable", "")
    predicted = stems(text)
    if _hopes(text):
        predicted = without(predicted, stems(f"{statement.goal} {statement.hypothesis}"))
    observed = not OBSERVED.isdisjoint(predicted)
    if _EITHER.search(text) or (not observed and (_is_evasive(text) or not without(predicted, EMPTY_IN_PREDICTION))):
        return 0.2, Reason(
            "unfalsifiable", "Nothing could show the prediction false: say what will be seen, or measured, and where."
        )
    return (0.9 if observed else 0.7), Reason("unfalsifiable", "")


def _hopes(text: str) -> bool:
    """Return whether `text` only promises success."""
    return not _all_stems(text).isdisjoint(HOPES)


def _is_evasive(text: str) -> bool:
    """Return whether `text` leaves the result open, predicts knowledge, or compares without a measure."""
    return bool(_OPEN.search(text) or _KNOWING.search(text) or not _all_stems(text).isdisjoint(BETTER))


# --- tautological predictions


def _difference(statement: Statement, likeness: float) -> tuple[float, Reason]:
    score = 1.0 - 0.5 * max(0.0, likeness) / _max_likeness(statement)
    return max(0.0, score), Reason("tautological", "The prediction only says the hypothesis again.")


def _max_likeness(statement: Statement) -> float:
    """Return the similarity above which a prediction only repeats the hypothesis; 1 if words rule that out."""
    hypothesis_stems, predicted_stems = stems(statement.hypothesis), stems(statement.prediction)
    new = without(without(predicted_stems, hypothesis_stems), EMPTY_IN_PREDICTION)
    reversed_ = _is_reversed(statement.hypothesis, statement.prediction)
    observed = bool(_FIGURE.search(statement.prediction)) or not OBSERVED.isdisjoint(new)
    if observed and len(new) > 1:
        return 1.0
    if observed or reversed_:
        return 0.97
    return 0.7 if new else 0.6


def _is_reversed(hypothesis: str, prediction: str) -> bool:
    """Return whether only one of the two is negated, or the prediction describes an end or a beginning."""
    before, after = _all_stems(hypothesis), _all_stems(prediction)
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

# Signs of an observation: a figure, a quotation, code, a path, an option, a name in capitals.
_FIGURE = re.compile(
    r"\d|`|[\"“”„]|'[^' ][^']*'|\w_\w|\w\.\w|(?:^|\s)--?\w|(?:^|\s)[\w.~]*/\w|\(\)|[<>=]|[a-z][A-Z]|\b[A-Z]{3,}\b"
)
