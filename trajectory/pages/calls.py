"""The calls of a session as its page lists them: in either order, filtered, in pages, and equal ones folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryserver import keyset
from trajectory.local import outcome
from trajectory.local.calls import summary
from trajectory.models import AssessmentRecord, ToolCall, Trajectory

PAGE = 100
BESIDE = 20  # calls shown before the one that an address names
FOLDED = 3  # equal calls in a row from which on they are folded
FILTERS: Mapping[str, str] = {
    "": "all calls",
    "failed": "failed",
    "edits": "edits",
    "commands": "commands",
    "findings": "with findings",
}
ORDERS: Mapping[str, str] = {"oldest": "oldest first", "newest": "newest first"}


@dataclass(frozen=True)
class View:
    """What of a session's calls is shown: a key of FILTERS, a key of ORDERS, from which call on (`at`, 0 for all)."""

    show: str
    order: str
    at: int

    @property
    def descending(self) -> bool:
        """Whether the newest comes first."""
        return self.order == "newest"


@dataclass(frozen=True)
class ShownCall:
    """A call with the findings that began there, or that the agent was told there."""

    call: ToolCall
    findings: Sequence[AssessmentRecord]


@dataclass(frozen=True)
class Run:
    """Calls in a row; equal ones, from FOLDED on, are shown as one line that opens."""

    calls: Sequence[ShownCall]

    @property
    def folded(self) -> bool:
        """Whether it is shown as one line."""
        return len(self.calls) >= FOLDED

    @property
    def first(self) -> ShownCall:
        """The first one, which stands for all."""
        return self.calls[0]

    @property
    def numbers(self) -> tuple[int, int]:
        """The lowest and the highest number of its calls."""
        ends = self.calls[0].call.call_index, self.calls[-1].call.call_index
        return min(ends), max(ends)


@dataclass(frozen=True)
class CallPage:
    """A page of runs; `next_cursor` is None at the end."""

    runs: Sequence[Run]
    next_cursor: str | None


def view_of(params: Mapping[str, str], *, running: bool) -> View:
    """Return the view in a query string. What is unknown counts as absent; a running session begins with the newest."""
    order, show, at = params.get("order", ""), params.get("show", ""), params.get("at", "")
    return View(
        show if show in FILTERS else "",
        order if order in ORDERS else "newest" if running else "oldest",
        int(at) if at.isascii() and at.isdecimal() and len(at) < 10 else 0,
    )


def page_of(trajectory: Trajectory, view: View, cursor: str = "") -> CallPage:
    """Return the page after `cursor`. Raises InvalidCursorError."""
    rows = _shown(trajectory, view)
    if view.at and view.descending:
        rows = rows.filter(call_index__lte=view.at + BESIDE)
    elif view.at:
        rows = rows.filter(call_index__gte=view.at - BESIDE)
    order = ("-call_index",) if view.descending else ("call_index",)
    page = keyset.page_of(rows, order, limit=PAGE, cursor=cursor)
    return CallPage(_runs(trajectory, page.rows), page.next_cursor)


def after(trajectory: Trajectory, view: View, number: int) -> Sequence[Run]:
    """Return the runs of calls that came after the call `number`, the newest first, at most a page."""
    rows = _shown(trajectory, view).filter(call_index__gt=number).order_by("-call_index")
    return _runs(trajectory, list(rows[:PAGE]))


def _shown(trajectory: Trajectory, view: View) -> QuerySet[ToolCall]:
    rows = trajectory.calls.all()
    if view.show == "failed":
        return rows.exclude(outcome__in=outcome.SUCCESSES)
    if view.show == "edits":
        return rows.filter(body__kind=summary.WRITE)
    if view.show == "commands":
        return rows.filter(body__kind=summary.COMMAND)
    if view.show == "findings":
        beside = Q(began_at_call=OuterRef("call_index")) | Q(told_at_call=OuterRef("call_index"))
        return rows.filter(Exists(trajectory.findings.filter(beside)))
    return rows


def _runs(trajectory: Trajectory, calls: Sequence[ToolCall]) -> list[Run]:
    numbers = [call.call_index for call in calls]
    beside = Q(began_at_call__in=numbers) | Q(told_at_call__in=numbers)
    findings: dict[int, list[AssessmentRecord]] = {}
    for finding in trajectory.findings.filter(beside).order_by("-began_at_call", "-pk"):
        for number in {finding.began_at_call, finding.told_at_call}:
            findings.setdefault(number or 0, []).append(finding)
    shown = [ShownCall(call, findings.get(call.call_index, [])) for call in calls]
    runs = []
    for _, group in groupby(shown, key=_sameness):
        equal = list(group)
        runs += [Run(equal)] if len(equal) >= FOLDED else [Run([each]) for each in equal]
    return runs


def _sameness(shown: ShownCall) -> tuple[Any, ...]:
    """Return what equal calls share; calls with findings, or whose arguments are not known, equal no other."""
    call, arguments = shown.call, shown.call.body.get("args_hash")
    alone = call.pk if shown.findings or not arguments else None
    return call.tool_name, arguments, call.outcome, call.body.get("error_message"), alone
