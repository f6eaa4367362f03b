"""Downloads of a user's or a project's data."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from memoryserver.accounts.auth import SignedInRequest
from memoryserver.accounts.models import Project
from memoryserver.accounts.transfer import service
from memoryserver.accounts.visibility import visible_projects


@require_GET
def download(request: SignedInRequest) -> StreamingHttpResponse:
    """Stream everything that is the user's as a file."""
    return _file(request, None)


@require_GET
def download_project(request: SignedInRequest, key: int) -> StreamingHttpResponse:
    """Stream all rows of the project that the user sees as a file; 404 if they do not see the project."""
    return _file(request, get_object_or_404(visible_projects(request.user), pk=key))


def _file(request: SignedInRequest, project: Project | None) -> StreamingHttpResponse:
    name = "memory.jsonl" if project is None else f"memory-of-project-{project.pk}.jsonl"
    return StreamingHttpResponse(
        service.export(request.user, project),
        content_type="application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
