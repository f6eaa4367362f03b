"""The section of a project's learnings in a session's context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Case, Expression, F, FloatField, Q, Value, When
from django.db.models.functions import Cast, Exp, Extract, Greatest, Least, Ln, Now

from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.context.sections import PINNED, Line, Section

_MAX_LINES = 40
_HALF_OF_A_YEAR = 182.0 * 86_400

# Corrections and rules of the whole project weigh more than facts about one task.
_BY_TYPE = {
    "correction": 1.0,
    "convention": 0.95,
    "preference": 0.9,
    "gotcha": 0.9,
    "command": 0.85,
    "security": 0.7,
    "error_recovery": 0.65,
    "solution": 0.65,
    "breakthrough": 0.6,
    "learning": 0.6,
    "decision": 0.55,
    "optimization": 0.4,
    "test": 0.35,
    "refactoring": 0.25,
    "outcome": 0.2,
    "handoff": 0.15,
    "checkpoint": 0.1,
}


def lines(user: User, project: str) -> Sequence[Line]:
    """Return the most useful learnings of `project`: pinned first, then by type, confidence, frequency and recency.

    Hidden learnings are excluded.
    """
    rows = visible_rows(Learning.objects.filter(project__key=project, hidden=False), user)
    ranked = rows.annotate(weight=_weight()).order_by("-pinned", "-weight", "-pk")
    values = ranked.values_list("type", "content", "pinned", "weight")[:_MAX_LINES]
    return [
        Line(f"[{kind}] {content}", weight + (PINNED if pinned else 0.0)) for kind, content, pinned, weight in values
    ]


def _weight() -> Any:
    """Return the weight, from 0 to 1.

    type weight * (0.6 + 0.4 * confidence) * (0.75 + 0.25 * frequency) * (0.5 + 0.5 * recency)

    where frequency = min(ln(seen_count) / ln(8), 1) and recency = exp(-1.1 * age / half a year).
    """
    kind: Expression = Case(
        *(When(Q(type=name), then=Value(weight)) for name, weight in _BY_TYPE.items()),
        default=Value(0.3),
        output_field=FloatField(),
    )
    frequency = Least(Ln(Cast(Greatest(F("seen_count"), Value(1)), FloatField())) / Value(2.08), Value(1.0))
    age = Cast(Extract(Now() - F("last_seen"), "epoch"), FloatField())
    recency = Exp(Value(-1.1) * Greatest(age, Value(0.0)) / Value(_HALF_OF_A_YEAR))
    return (
        kind
        * (Value(0.6) + Value(0.4) * F("confidence"))
        * (Value(0.75) + Value(0.25) * frequency)
        * (Value(0.5) + Value(0.5) * recency)
    )


SECTION = Section(name="learned", title="Learned here", lines=lines)
