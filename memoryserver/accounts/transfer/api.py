"""API endpoints that stream a user's or a project's data, and take such data in."""

from __future__ import annotations

from typing import Any, Literal

from django.http import StreamingHttpResponse
from ninja import Field, Router, Schema

from memoryserver.accounts.auth import INGEST, READ, AuthenticatedRequest
from memoryserver.accounts.projects import known_project, stored_key
from memoryserver.accounts.transfer import service
from memoryserver.contract.document import answers_text
from memoryserver.problems import Problem

router = Router(tags=["accounts"])
MAX_ROWS = 500


class ImportBatch(Schema):
    """The header of an export, and up to 500 of its further lines."""

    header: dict[str, Any] = Field(examples=[{"format": "memoryserver-data", "version": 1}])
    rows: list[dict[str, Any]] = Field(max_length=MAX_ROWS, description="lines of the export, as they are in it")


class RowResult(Schema):
    """What became of a row; `reason` only if it was refused."""

    status: Literal["stored", "unchanged", "refused"]
    reason: str


class ImportResults(Schema):
    """The result of each row, in the order of the request."""

    results: list[RowResult]


@router.post("/import", auth=INGEST, response=ImportResults, operation_id="import", summary="Take in exported data")
def load(request: AuthenticatedRequest, batch: ImportBatch) -> dict[str, Any]:
    """The rows become the token's user's, in the projects that their keys mean. Idempotent.

    A refused row does not affect the others. 422 if the header is not that of an export.
    """
    service.check_header(batch.header)
    return {"results": service.load_rows(batch.rows, request.user)}


@router.get(
    "/export",
    auth=READ,
    operation_id="export",
    summary="All your data, or a project's, as JSON lines",
    openapi_extra=answers_text("application/x-ndjson", '{"format": "memoryserver-data", "version": 1}'),
)
def export(request: AuthenticatedRequest, project: str = "") -> StreamingHttpResponse:
    """Without `project` everything that is yours; with a project's key all rows in it that you see, of all authors.

    The first line is a header. 404 for a project that you cannot see.
    """
    project_row = known_project(request.user, stored_key(project)) if project else None
    if project and project_row is None:
        raise Problem(404, "project not found; `GET /api/v1/projects` lists those that you see")
    return StreamingHttpResponse(service.export(request.user, project_row), content_type="application/x-ndjson")
