"""Pace: what is left of the time, the calls, the tokens and the money."""

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

_LOOK_BACK = 50  # calls, for the last one that says what was used
_LEFT: tuple[tuple[float, Severity], ...] = ((0.1, "warning"), (0.3, "caution"), (0.5, "info"))
_BUDGETS = ("seconds", "calls", "tokens", "cost")
_EARLIEST_PROJECTION = 0.2  # of the time


@dataclass(frozen=True)
class Pace:
    """Say once when 50, 30 and 10 % of a budget are left, and when at this rate one will not last for the time.

    A budget that is None is not watched; without any it says nothing. What was used of tokens and cost is what
    the recorded calls say (`tokens_used`, `cost_used`). Raises ValueError for a budget that is not above zero.
    """

    seconds: float | None = None
    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

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
        shares = [(1 - used / budget, what, used, budget) for what, used, budget in self._used(session, context)]
        if latest is None or not shares:
            return nothing(self.name, context)
        left, what, used, budget = min(shares)
        tier = next(((limit, severity) for limit, severity in _LEFT if left <= limit), None)
        overrun = self._overrun(shares)
        if overrun and (tier is None or tier[1] == "info"):
            return self._report(latest, overrun, "projected", "caution", context)
        if tier is None:
            return nothing(self.name, context)
        said = f"{max(left, 0):.0%} of the {what} are left: {_shown(used)} of {_shown(budget)} used."
        return self._report(latest, said, f"{what} {tier[0]:.0%}", tier[1], context)

    def _used(self, session: Session, context: ObserverContext) -> Iterator[tuple[str, float, float]]:
        records = context.recent_tool_calls(_LOOK_BACK)
        elapsed = (context.now - session.started).total_seconds() if session.started else 0.0
        used = {
            "seconds": elapsed,
            "calls": records[-1].call_index if records else 0,
            "tokens": next((one.tokens_used for one in reversed(records) if one.tokens_used is not None), None),
            "cost": next((one.cost_used for one in reversed(records) if one.cost_used is not None), None),
        }
        for what, amount in used.items():
            budget = getattr(self, what)
            if budget is not None and amount is not None:
                yield what, max(float(amount), 0.0), float(budget)

    def _overrun(self, shares: list[tuple[float, str, float, float]]) -> str:
        """Return what will be used up before the time is, if it goes on like this; "" where all will last."""
        time = next((1 - left for left, what, _, _ in shares if what == "seconds"), 0.0)
        if time < _EARLIEST_PROJECTION:
            return ""
        for _, what, used, budget in shares:
            if what != "seconds" and used / min(time, 1.0) > budget:
                share = f"{_shown(used)} of {_shown(budget)} in {time:.0%} of the time"
                return f"At this rate the {what} will not last: {share}."
        return ""

    def _report(
        self, latest: ToolCallRecord, said: str, identity: str, severity: Severity, context: ObserverContext
    ) -> Assessment:
        return finding(
            self.name,
            context,
            category="Budget",
            summary=said,
            evidence=cite_calls([latest]),
            suggestions=["Put what must be done first, and leave the work in a state that can be handed over."],
            severity=severity,
            identity=identity,
            calls=[latest],
        )


def _shown(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 100 or amount == int(amount) else f"{amount:.2f}"
