"""The page on which a person reviews learnings, by buttons or by the keyboard."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from capture import learnings
from capture.belief import explanation, rules, usage
from capture.curation import DuplicateLearningError
from capture.review import queue
from capture.review.queue import Decision
from memoryserver.accounts.auth import SignedInRequest
from memoryserver.common.text import parse_number
from memoryserver.errors import InvalidInputError
from memoryserver.home.scope import ANY_TIME, query_of, scope_of

_LAST = "last_review"  # key in the browser's session
_DONE = {"keep": "Kept", "pin": "Pinned", "hide": "Hidden", "merge": "Merged", "correct": "Corrected"}


@require_GET
def review_page(request: SignedInRequest) -> HttpResponse:
    """Render the learning to review, with its quotation, what says the same, and what can be done."""
    user = request.user
    within = scope_of(user, request.GET, ANY_TIME).within("first_seen")
    waiting = queue.waiting(user, within, parse_number(request.GET.get("at", "")))
    context: dict[str, Any] = {
        "waiting": waiting,
        "undo": request.session.get(_LAST),
        "scope_query": query_of(request.GET),
    }
    if waiting.learning is not None:
        row = waiting.learning
        context |= {
            "row": row,
            "origin": next(iter(learnings.origins(row, user).origins), None),
            "alike": queue.alike(row),
            "why": explanation.explain(row, rules.judgement(row)),
            "uses": usage.uses(row),
        }
    return render(request, "capture/review.html", context)


@require_POST
def review_decide(request: SignedInRequest, key: int) -> HttpResponse:
    """Decide on a learning and show the next one; a mistake is said on the page of the same one."""
    user, what = request.user, request.POST.get("do", "")
    into, content = parse_number(request.POST.get("into", "")), request.POST.get("content", "")
    try:
        decision = queue.decide(user, key, what, into=into, content=content)
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    except (InvalidInputError, DuplicateLearningError) as error:
        messages.error(request, str(error))
        return _show(request, key)
    request.session[_LAST] = asdict(decision) | {"done": _DONE[what]}
    return _show(request, parse_number(request.POST.get("next", "")))


@require_POST
def review_undo(request: SignedInRequest) -> HttpResponse:
    """Take the last decision of this browser back, and show its learning."""
    last = request.session.pop(_LAST, None)
    if last is None:
        messages.error(request, "There is nothing to undo.")
        return _show(request, None)
    decision = Decision(last["key"], last["what"], last["before"])
    try:
        queue.undo(request.user, decision)
    except (Http404, PermissionDenied, InvalidInputError, DuplicateLearningError) as error:
        messages.error(request, f"It could not be undone: {error}")
        return _show(request, None)
    return _show(request, decision.key)


def _show(request: HttpRequest, key: int | None) -> HttpResponse:
    query = query_of(request.GET)
    at = f"{'&' if query else '?'}at={key}" if key else ""
    return redirect(f"{reverse('learning-review')}{query}{at}")
