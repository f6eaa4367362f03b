"""The page of what was recorded about a team, for its leads."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from memoryserver import keyset
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import led_teams
from memoryserver.pages.fragments import HtmxHttpRequest
from obslog import audit
from obslog.models import Observation
from obslog.pages.names import with_messages

PAGE = 50


@require_GET
def team_audit(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Render the latest observations about the team; for htmx only the next ones after a cursor.

    404 for everybody but the team's leads.
    """
    team = get_object_or_404(led_teams(request.user), pk=key)
    page = keyset.page_of(audit.of_team(team), ("-arrival",), limit=PAGE, cursor=request.GET.get("cursor", ""))
    names = User.objects.in_bulk([by for row in page.rows if (by := _by(row)) is not None])
    context = {
        "team": team,
        "rows": [(row, message, names.get(_by(row))) for row, message in with_messages(page.rows)],
        "next_cursor": page.next_cursor,
    }
    further = request.htmx and "cursor" in request.GET
    return render(request, f"obslog/{'_audit_rows' if further else 'audit'}.html", context)


def _by(row: Observation) -> int | None:
    """Return the primary key of the user who did it, None if the server did or the observation does not say."""
    by = row.data.get("by") if isinstance(row.data, dict) else None
    return by if isinstance(by, int) else None
