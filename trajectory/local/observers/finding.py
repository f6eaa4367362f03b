"""Builds the assessments of detectors: with one finding, or with none."""

from __future__ import annotations

from collections.abc import Sequence

from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, Observation, Severity
from trajectory.local.engine.context import ObserverContext


def nothing(name: str, context: ObserverContext) -> Assessment:
    """Return the assessment of an observer without a finding."""
    return Assessment(observer_name=name, summary="Nothing found.", timestamp=context.now)


def finding(
    name: str,
    context: ObserverContext,
    *,
    category: str,
    summary: str,
    evidence: str,
    suggestions: Sequence[str],
    severity: Severity,
    identity: str,
    calls: Sequence[ToolCallRecord],
    description: str = "",
    headline: str = "",
) -> Assessment:
    """Return an assessment with one observation; `calls` are its evidence."""
    return Assessment(
        observer_name=name,
        summary=summary,
        observations=(Observation(category=category, description=description or summary, evidence=evidence),),
        suggestions=tuple(suggestions),
        severity=severity,
        timestamp=context.now,
        identity=f"{category}: {identity}",
        calls=tuple(record.call_index for record in calls),
        headline=headline,
    )
