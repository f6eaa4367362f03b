"""Pace: how much of the time, calls, tokens and cost is left."""

from __future__ import annotations

from collections.abc import Iterator

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, Severity
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_calls
from trajectory.local.observers.finding import finding, nothing

_LOOK_BACK = 50  # calls, for the last one that reports what was used
# The used share of a budget from which on it is reported. Shares are compared as used / budget, which is rounded to the
# same float as these literals; 1 - used / budget is not.
_TIERS: tuple[tuple[float, str, Severity], ...] = (
    (0.9, "10%", "warning"),
    (0.7, "30%", "caution"),
    (0.5, "50%", "info"),
)
_BUDGETS = ("seconds", "calls", "tokens", "cost")
_EARLIEST_PROJECTION = 0.2  # of the time


@dataclass(frozen=True)
class _Usage:
    budget_name: str
    used: float
    budget: float

    @property
    def share(self) -> float:
        """The used part of the budget, 0.0 to 1.0, and above when it is exceeded."""
        return self.used / self.budget


@dataclass(frozen=True)
class Pace:
    """Report once when 50, 30 and 10 % of a budget are left, and when at this rate one will not last for the time.

    A budget that is None is not watched; without any it reports nothing. The tokens and the cost used are those of
    the recorded calls (`tokens_used`, `cost_used`). Raises ValueError for a budget that is not above zero.
    """

    seconds: float | None = None
    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    spans_turns = True

    def __post_init__(self) -> None:
        window.positive(self, *(name for name in _BUDGETS if getattr(self, name) is not None))

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Pace"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether there is a budget to watch."""
        return any(getattr(self, name) is not None for name in _BUDGETS)

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the budget of which the smallest share is left."""
        latest = session[ToolCallRecord].latest()
        usages = list(self._usages(session, context))
        if latest is None or not usages:
            return nothing(self.name, context)
        usage = min(usages, key=lambda usage: (-usage.share, usage.budget_name))
        tier = next(((left, severity) for share, left, severity in _TIERS if usage.share >= share), None)
        overrun = self._overrun(usages)
        if overrun and (tier is None or tier[1] == "info"):
            return self._report(latest, overrun, "projected", "caution", context)
        if tier is None:
            return nothing(self.name, context)
        left, severity = tier
        figures = f"{_shown(usage.used)} of {_shown(usage.budget)} used"
        summary = f"{max(1 - usage.share, 0):.0%} of the {usage.budget_name} are left: {figures}."
        return self._report(latest, summary, f"{usage.budget_name} {left}", severity, context)

    def _usages(self, session: Session, context: ObserverContext) -> Iterator[_Usage]:
        records = context.recent_tool_calls(_LOOK_BACK)
        elapsed = (context.now - session.started).total_seconds() if session.started else 0.0
        used = {
            "seconds": elapsed,
            "calls": records[-1].call_index if records else 0,
            "tokens": next(
                (record.tokens_used for record in reversed(records) if record.tokens_used is not None), None
            ),
            "cost": next((record.cost_used for record in reversed(records) if record.cost_used is not None), None),
        }
        for budget_name, amount in used.items():
            budget = getattr(self, budget_name)
            if budget is not None and amount is not None:
                yield _Usage(budget_name, max(float(amount), 0.0), float(budget))

    def _overrun(self, usages: list[_Usage]) -> str:
        """Return which budget will be used up before the time is, at this rate; "" if all will last."""
        time = next((usage.share for usage in usages if usage.budget_name == "seconds"), 0.0)
        if time < _EARLIEST_PROJECTION:
            return ""
        for usage in usages:
            if usage.budget_name != "seconds" and usage.share > min(time, 1.0):
                figures = f"{_shown(usage.used)} of {_shown(usage.budget)} in {time:.0%} of the time"
                return f"At this rate the {usage.budget_name} will not last: {figures}."
        return ""

    def _report(
        self, latest: ToolCallRecord, summary: str, identity: str, severity: Severity, context: ObserverContext
    ) -> Assessment:
        return finding(
            self.name,
            context,
            category="Budget",
            summary=summary,
            evidence=cite_calls([latest]),
            suggestions=["Put what must be done first, and leave the work in a state that can be handed over."],
            severity=severity,
            identity=identity,
            calls=[latest],
        )


def _shown(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 100 or amount == int(amount) else f"{amount:.2f}"
