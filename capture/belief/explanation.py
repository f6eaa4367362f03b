"""The reasons for a verdict, as people read them."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils import timezone

from capture.belief.rules import Judgement, Verdict
from capture.models import Learning

_BY_VERDICT: Mapping[Verdict, str] = {
    "pinned": "pinned by a person",
    "believed": "believed",
    "hidden": "hidden by a person",
    "merged": "merged into another learning, which is shown instead",
    "report": "a status report, which never enters a context",
    "rejected": "rejected by the judge",
    "doubted": "not believed",
    "provisional": "provisional, since its session still runs",
}
_WITHDRAWN = "hidden, since the agent took it back in the same session"
_BY_SOURCE = {"observed": "observed in what happened", "stated": "stated"}


def explain(row: Learning, judgement: Judgement) -> str:
    """Return why the learning may enter a context or not, on one line: the verdict, then the figures behind it."""
    verdict = _WITHDRAWN if judgement.withdrawn else _BY_VERDICT[judgement.verdict]
    return f"{verdict}; {evidence(row, judgement)}"


def evidence(row: Learning, judgement: Judgement) -> str:
    """Return the figures behind a verdict: source, confidence, belief, sightings, age and contradictions."""
    times = "once" if row.seen_count == 1 else f"{row.seen_count} times"
    contradicted = ", contradicted by a later learning" if judgement.contradicted else ""
    source = _BY_SOURCE.get(row.source) or f"stored by {stored_by(row)}"
    return (
        f"{source} with confidence {row.confidence:.2f}, seen {times}, "
        f"last {_age(row)}{contradicted}: belief {judgement.belief:.2f}, {judgement.threshold:.2f} needed"
    )


def stored_by(row: Learning) -> str:
    """Return who stored a learning by hand, in words."""
    if row.by_hand_by:
        return str(Learning.StoredBy(row.by_hand_by).label)
    return "an agent" if row.by_hand_session else "an agent or a person"


def _age(row: Learning) -> str:
    days = (timezone.now() - row.last_seen).days
    if days < 1:
        return "today"
    return "yesterday" if days == 1 else f"{days} days ago"
