"""The calls of a session as its page lists them: in either order, filtered, in pages, and equal ones folded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, TypedDict

from django.db.models import QuerySet
from django.db.models.fields.json import KT
from django.utils.safestring import SafeString

from memoryserver import keyset
from memoryserver.common.text import parse_number
from memoryserver.pages.filters import clocks
from trajectory.local import outcome
from trajectory.local.calls import summary
from trajectory.models import Moment, ToolCall, Trajectory, wrongly_reported

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
_PARTS = {
    "timestamp": KT("body__timestamp"),
    "summary": KT("body__params_summary"),
    "error": KT("body__error_message"),
    "arguments": KT("body__args_hash"),
}
"""What a page shows of a call's record; to read the records takes longer than to draw them."""


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
class Beside:
    """What a finding of `observer` said at a call at which it was noticed, or the agent was told, or both."""

    observer: str
    moments: Sequence[Moment]

    @property
    def latest(self) -> Moment:
        """What it said."""
        return self.moments[-1]

    @property
    def what(self) -> str:
        """What happened there."""
        parts = {"noticed": "noticed here", "told": "the agent was told"}
        return ", and ".join(parts[moment.what] for moment in self.moments)


class ShownCall(TypedDict):
    """A call with the findings that began there, or that the agent was told there.

    Templates look a name up in a dictionary first, and a page has a hundred calls. The number is a text for the same
    reason: templates localise numbers.
    """

    number: str
    time: SafeString
    reported_at: datetime | None
    tool: str
    summary: str
    outcome: str
    error: str
    arguments: str | None
    findings: Sequence[Beside]


@dataclass(frozen=True)
class Run:
    """Calls in a row: equal ones, from FOLDED on, are `folded`, shown as one line that opens; the others are not."""

    calls: Sequence[ShownCall]
    folded: bool

    @property
    def first(self) -> ShownCall:
        """The first one, which stands for all."""
        return self.calls[0]

    @property
    def numbers(self) -> tuple[int, int]:
        """The lowest and the highest number of its calls."""
        ends = int(self.calls[0]["number"]), int(self.calls[-1]["number"])
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
        parse_number(at, digits=9) or 0,
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
    rows = trajectory.calls.only("trajectory", "call_index", "tool_name", "outcome", "made_at").annotate(**_PARTS)
    if view.show == "failed":
        return rows.exclude(outcome__in=outcome.SUCCESSES)
    if view.show == "edits":
        return rows.filter(body__kind=summary.WRITE)
    if view.show == "commands":
        return rows.filter(body__kind=summary.COMMAND)
    if view.show == "findings":
        moments = {moment.call for finding in trajectory.all_findings for moment in finding.history()}
        return rows.filter(call_index__in=moments)
    return rows


def _runs(trajectory: Trajectory, calls: Sequence[ToolCall]) -> list[Run]:
    findings = _beside(trajectory, {call.call_index for call in calls})
    times = clocks(call.made_at for call in calls)
    shown = [
        _shown_call(call, time, findings.get(call.call_index, [])) for call, time in zip(calls, times, strict=True)
    ]
    runs: list[Run] = []
    single: list[ShownCall] = []
    for _, group in groupby(shown, key=_sameness):
        equal = list(group)
        if len(equal) < FOLDED:
            single += equal
            continue
        runs += [Run(single, folded=False)] if single else []
        runs.append(Run(equal, folded=True))
        single = []
    return [*runs, Run(single, folded=False)] if single else runs


def _shown_call(call: Any, time: SafeString, findings: Sequence[Beside]) -> ShownCall:
    """Return a row of `_shown`, which has _PARTS too."""
    return {
        "number": str(call.call_index),
        "time": time,
        "reported_at": wrongly_reported(call.timestamp, call.made_at),
        "tool": call.tool_name,
        "summary": call.summary or "",
        "outcome": call.outcome,
        "error": call.error or "",
        "arguments": call.arguments,
        "findings": findings,
    }


def _beside(trajectory: Trajectory, numbers: Collection[int]) -> Mapping[int, Sequence[Beside]]:
    """Return the findings beside the calls with these numbers, by number."""
    findings: dict[int, list[Beside]] = {}
    for finding in trajectory.all_findings:
        for number, moments in groupby(finding.history(), key=lambda moment: moment.call):
            if number in numbers:
                findings.setdefault(number, []).append(Beside(finding.observer, list(moments)))
    return findings


def _sameness(call: ShownCall) -> tuple[Any, ...]:
    """Return what equal calls share; calls with findings, or whose arguments are not known, equal no other."""
    alone = call["number"] if call["findings"] or not call["arguments"] else None
    return call["tool"], call["arguments"], call["outcome"], call["error"], alone
