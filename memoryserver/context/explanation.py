"""Why each line of a project's context is there, and what was left out for which reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.common.text import one_line, printable
from memoryserver.context.sections import Line, Section
from memoryserver.context.service import CHARS, Candidate, Composition, compose, quotable

Outcome = Literal["included", "no room", "repeated", "left out"]
_MAX_WHY = 400


class ExplainedLine(NamedTuple):
    """A line and what became of it.

    `no room`: better lines fill the context. `repeated`: a better line has the same text. `left out`: its section does
    not offer it. `why` are the section's reasons, and `page` is the URL of the line's page; both may be "".
    """

    section: str
    text: str
    outcome: Outcome
    why: str
    weight: float
    page: str


@dataclass(frozen=True)
class Explanation:
    """The lines of a context of at most `chars` characters: the included ones first, each group the best first."""

    project: str
    generated_at: datetime
    chars: int
    lines: Sequence[ExplainedLine]


def explain(user: User, project: str, chars: int = CHARS) -> Explanation:
    """Return what `build_context` includes for these arguments and what it does not, each line with the reasons.

    Raises InvalidInputError as `build_context` does.
    """
    composition = compose(user, project, chars)
    included = [_explained(composition, candidate, "included") for candidate in composition.selected]
    ranks = {candidate.rank for candidate in composition.selected}
    others = [
        _explained(composition, candidate, "repeated" if candidate.repeats else "no room")
        for candidate in composition.candidates
        if candidate.rank not in ranks
    ]
    left_out = [
        _line(section, line, quotable(line.text), "left out")
        for section, offer in zip(composition.sections, composition.offers, strict=True)
        for line in offer.left_out()
    ]
    return Explanation(composition.project, timezone.now(), chars, [*included, *others, *left_out])


def _explained(composition: Composition, candidate: Candidate, outcome: Outcome) -> ExplainedLine:
    return _line(composition.sections[candidate.section], candidate.line, candidate.text, outcome)


def _line(section: Section, line: Line, text: str, outcome: Outcome) -> ExplainedLine:
    why = one_line(printable(line.why))[:_MAX_WHY]
    return ExplainedLine(section.name, text, outcome, why, line.weight, line.page)
