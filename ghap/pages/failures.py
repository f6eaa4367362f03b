"""Pages of failures that come back: the list by state, and one with what helped and its entries."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from ghap import grouping
from ghap.models import Failure
from ghap.recurring import changes, queries
from memoryserver.errors import InvalidInputError
from memoryserver.home.charts import spark
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.pages.chips import Chip
from memoryserver.pages.fragments import HtmxHttpRequest

PAGE = 20
UNSOLVED = (Failure.State.OPEN.value, Failure.State.REGRESSED.value, Failure.State.KNOWN.value)
SORTS = {"recent": "last seen first", "frequent": "most frequent first"}


@require_GET
def failure_list(request: HtmxHttpRequest) -> HttpResponse:
    """Render the failures by state; for htmx only the results, or only the next rows after a cursor.

    An unknown state or order is ignored.
    """
    state, sort = request.GET.get("state", ""), request.GET.get("sort", "")
    within = scope_of(request.user, request.GET, ANY_TIME).within("last_seen")
    page = queries.find(
        request.user,
        states=[state] if state in Failure.State.values else [] if state == "all" else UNSOLVED,
        sort=cast("queries.Sort", sort if sort in SORTS else "recent"),
        limit=PAGE,
        cursor=request.GET.get("cursor", ""),
        within=within,
    )
    keys = [row.key for row in page.failures]
    weeks, lessons = queries.weeks(keys), queries.lessons(keys)
    context: dict[str, Any] = {
        "rows": [(row, spark(weeks[row.key]), lessons.get(row.key, "")) for row in page.failures],
        "next_cursor": page.next_cursor,
    }
    if request.htmx and "cursor" in request.GET:
        return render(request, "ghap/_failure_rows.html", context)
    context |= {"states": _chips(state, queries.counts(request.user, within=within)), "sorts": SORTS, "sort": sort}
    context["counted"] = grouping.is_installed()
    return render(request, "ghap/failures.html", context)


@require_GET
def failure_page(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Render one failure; for htmx only its next entries after a cursor."""
    row = queries.row_of(request.user, key)
    members = queries.members(row, cursor=request.GET.get("cursor", ""))
    context: dict[str, Any] = {"page": members, "more": "ghap-failure"}
    if request.htmx and "cursor" in request.GET:
        return render(request, "ghap/_entry_rows.html", {"page": _entries(members)})
    failure = queries.described(row)
    context |= {
        "failure": failure,
        "spark": spark(queries.weeks([key])[key]),
        "page": _entries(members),
        "helped": queries.what_helped(row),
        "states": changes.STATES,
        "max_name": changes.MAX_NAME,
    }
    return render(request, "ghap/failure.html", context)


@require_POST
def failure_change(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Name the failure or set its state, and show its page; a mistake is said there."""
    try:
        row = changes.change(request.user, key, name=request.POST.get("name"), state=request.POST.get("state"))
        messages.success(request, f"Saved. It is {row.state}.")
    except InvalidInputError as error:
        messages.error(request, str(error))
    return redirect("ghap-failure", key)


@require_POST
def failure_recount(request: HtmxHttpRequest) -> HttpResponse:
    """Let a job count all failures of the user again, and show the list."""
    changes.request_recount(request.user)
    messages.success(request, "The failures are counted again. That takes a minute or so.")
    return redirect("ghap-failures")


def _entries(members: queries.Members) -> dict[str, Any]:
    """Return the entries as the rows of the journal's list take them."""
    return {"rows": members.entries, "next_cursor": members.next_cursor}


def _chips(chosen: str, counts: dict[str, int]) -> list[Chip]:
    unsolved = sum(counts[state] for state in UNSOLVED)
    chips = [Chip("", "not solved", unsolved, chosen == "" or chosen not in {*counts, "all"})]
    chips += [Chip(state, state, count, state == chosen) for state, count in counts.items()]
    return [*chips, Chip("all", "all", sum(counts.values()), chosen == "all")]
