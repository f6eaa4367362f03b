"""API endpoint that streams a user's or a project's data."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from ninja import Router

from memoryserver.accounts.auth import READ, AuthenticatedRequest
from memoryserver.accounts.projects import known_project, stored_key
from memoryserver.accounts.transfer import service
from memoryserver.problems import Problem

router = Router(tags=["accounts"])


@router.get("/export", auth=READ, operation_id="export", summary="All your data, or a project's, as JSON lines")
def export(request: AuthenticatedRequest, project: str = "") -> StreamingHttpResponse:
    """Without `project` everything that is yours; with a project's key all rows in it that you see, of all authors.

    The first line is a header. 404 for a project that you cannot see.
    """
    found = known_project(request.user, stored_key(project)) if project else None
    if project and found is None:
        raise Problem(404, "project not found; `GET /api/v1/projects` lists those that you see")
    return StreamingHttpResponse(service.export(request.user, found), content_type="application/x-ndjson")
