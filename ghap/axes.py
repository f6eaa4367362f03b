"""The four axes along which an entry is embedded, with their texts and payloads."""

from __future__ import annotations

from typing import Any

from ghap.local import GHAPEntry, OutcomeStatus

AXES = ("full", "strategy", "surprise", "root_cause")
FAILURE_AXES = ("surprise", "root_cause")
"""The axes that only falsified entries have."""


def axis_texts(entry: GHAPEntry) -> dict[str, str]:
    """Return the text of each axis that applies to the resolved `entry`.

    Full and strategy always apply, surprise to falsified entries, root cause to falsified entries that have one. Lines
    of missing or blank fields are left out, and of a line with two fields only the blank one. Raises ValueError if the
    entry has no outcome.
    """
    outcome = resolved(entry)
    texts = {"full": _full(entry), "strategy": _strategy(entry)}
    if outcome.status is OutcomeStatus.FALSIFIED:
        texts["surprise"] = _surprise(entry)
        if entry.root_cause is not None:
            texts["root_cause"] = _root_cause(entry)
    return texts


def summary(entry: GHAPEntry) -> str:
    """Return what a result of search shows below the goal: what the entry taught, then how it came about.

    Lines as in `axis_texts`, but the lesson, the cause and the surprise come first, since a reader sees the first words
    alone. Raises ValueError if the entry has no outcome.
    """
    outcome = resolved(entry)
    lesson, cause = entry.lesson, entry.root_cause
    return _lines(
        ("Lesson: {}", (lesson.takeaway or lesson.what_worked) if lesson else None),
        ("Cause: {}", cause.description if cause else None),
        ("Surprise: {}", entry.surprise),
        ("Hypothesis: {}", entry.hypothesis),
        ("Action: {}", entry.action),
        ("Prediction: {}", entry.prediction),
        ("Outcome: {}", _joined(outcome.status.value, outcome.result)),
    )


def payload(entry: GHAPEntry, axis: str) -> dict[str, Any]:
    """Return the payload of `axis`; times are Unix seconds. Raises ValueError like `axis_texts`."""
    outcome = resolved(entry)
    fields: dict[str, Any] = {
        "ghap_id": entry.id,
        "session_id": entry.session_id,
        "created_at": entry.created_at.timestamp(),
        "captured_at": outcome.captured_at.timestamp(),
        "domain": entry.domain.value,
        "strategy": entry.strategy.value,
        "outcome_status": outcome.status.value,
        "confidence_tier": entry.confidence_tier.value if entry.confidence_tier else None,
        "iteration_count": entry.iteration_count,
    }
    if axis in FAILURE_AXES:
        fields["root_cause_category"] = entry.root_cause.category if entry.root_cause else None
    return fields


def resolved(entry: GHAPEntry) -> Any:
    """Return the outcome of `entry`. Raises ValueError if it has none yet."""
    if entry.outcome is None:
        raise ValueError("Entry must be resolved")
    return entry.outcome


def _full(entry: GHAPEntry) -> str:
    outcome = resolved(entry)
    return _lines(
        ("Goal: {}", entry.goal),
        ("Hypothesis: {}", entry.hypothesis),
        ("Action: {}", entry.action),
        ("Prediction: {}", entry.prediction),
        ("Outcome: {}", _joined(outcome.status.value, outcome.result)),
        ("Surprise: {}", entry.surprise),
        ("Lesson: {}", entry.lesson.what_worked if entry.lesson else None),
    )


def _strategy(entry: GHAPEntry) -> str:
    outcome = resolved(entry)
    return _lines(
        ("Strategy: {}", entry.strategy.value),
        ("Applied to: {}", entry.goal),
        ("Outcome: {}", f"{outcome.status.value} after {entry.iteration_count} iteration(s)"),
        ("What worked: {}", entry.lesson.what_worked if entry.lesson else None),
    )


def _surprise(entry: GHAPEntry) -> str:
    cause = entry.root_cause
    return _lines(
        ("Expected: {}", entry.prediction),
        ("Actual: {}", resolved(entry).result),
        ("Surprise: {}", entry.surprise),
        ("Root cause: {}", _joined(cause.category, cause.description) if cause else None),
    )


def _root_cause(entry: GHAPEntry) -> str:
    assert entry.root_cause is not None
    return _lines(
        ("Category: {}", entry.root_cause.category),
        ("Description: {}", entry.root_cause.description),
        ("Context: {}", f"{entry.domain.value} - {entry.strategy.value}"),
        ("Original hypothesis: {}", entry.hypothesis),
    )


def _joined(*values: str) -> str:
    """Return those of `values` that are not blank, with dashes between them."""
    return " - ".join(value for value in values if value.strip())


def _lines(*lines: tuple[str, str | None]) -> str:
    """Fill the templates whose value is not blank; values may contain braces, so `format` is not used."""
    return "\n".join(template.replace("{}", value, 1) for template, value in lines if value and value.strip())
