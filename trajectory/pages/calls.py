"""The calls of a session as its page lists them: in either order, filtered, in pages, and equal ones folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from memoryserver import keyset
from memoryserver.common.text import parse_number
from trajectory.local import outcome
from trajectory.local.calls import summary
from trajectory.models import Moment, ToolCall, Trajectory

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


class ShownCall(NamedTuple):
    """A call with the findings that began there, or that the agent was told there.

    Its number is a text, since a page has four hundred of them, and templates localise numbers.
    """

    number: str
    call: ToolCall
    findings: Sequence[Beside]


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
    rows = trajectory.calls.only("trajectory", "call_index", "tool_name", "outcome", "made_at", "body")
    if view.show == "failed":
        return rows.exclude(outcome__in=outcome.SUCCESSES)
    if view.show == "edits":
        return rows.filter(body__kind=summary.WRITE)
    if view.show == "commands":
        return rows.filter(body__kind=summary.COMMAND)
    if view.show == "findings":
        findings = trajectory.findings.defer("body")
        return rows.filter(call_index__in={moment.call for finding in findings for moment in finding.history()})
    return rows


def _runs(trajectory: Trajectory, calls: Sequence[ToolCall]) -> list[Run]:
    findings = _beside(trajectory, [call.call_index for call in calls])
    shown = [ShownCall(str(call.call_index), call, findings.get(call.call_index, [])) for call in calls]
    runs = []
    for _, group in groupby(shown, key=_sameness):
        equal = list(group)
        runs += [Run(equal)] if len(equal) >= FOLDED else [Run([each]) for each in equal]
    return runs


def _beside(trajectory: Trajectory, numbers: Sequence[int]) -> Mapping[int, Sequence[Beside]]:
    """Return the findings beside the calls with these numbers, by number."""
    if not numbers:
        return {}
    first, last = min(numbers), max(numbers)
    on_page = Q(began_at_call__range=(first, last)) | Q(began_at_call__lt=first, told_at_call__gte=first)
    findings: dict[int, list[Beside]] = {}
    for finding in trajectory.findings.filter(on_page).defer("body").order_by("-began_at_call", "-pk"):
        for number, moments in groupby(finding.history(), key=lambda moment: moment.call):
            findings.setdefault(number, []).append(Beside(finding.observer, list(moments)))
    return findings


def _sameness(shown: ShownCall) -> tuple[Any, ...]:
    """Return what equal calls share; calls with findings, or whose arguments are not known, equal no other."""
    call, arguments = shown.call, shown.call.body.get("args_hash")
    alone = call.pk if shown.findings or not arguments else None
    return call.tool_name, arguments, call.outcome, call.body.get("error_message"), alone
