"""API endpoint of the projects that a user sees."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Field, Query, Router, Schema

from memoryserver.accounts.auth import READ, AuthenticatedRequest
from memoryserver.accounts.teams import overview

router = Router(tags=["accounts"])


class ProjectOut(Schema):
    """A project by its key, with its team and the user's role there: lead or member.

    A private project has no team, and the role is `owner`.
    """

    key: str
    team: str
    role: str


class ProjectsOut(Schema):
    """Projects by their keys; `next_cursor` is null at the end."""

    projects: list[ProjectOut]
    next_cursor: str | None


class ProjectsQuery(Schema):
    """The page."""

    limit: int = Field(100, ge=1, le=overview.MAX_PROJECTS, description="at most this many projects")
    cursor: str = ""


@router.get("/projects", auth=READ, response=ProjectsOut, operation_id="projects", summary="The projects that you see")
def find_projects(request: AuthenticatedRequest, query: Annotated[ProjectsQuery, Query()]) -> Any:
    """Private projects and those of the user's teams."""
    return overview.projects_of(request.user, limit=query.limit, cursor=query.cursor)
