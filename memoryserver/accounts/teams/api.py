"""API endpoints of the projects that a user sees."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Field, Query, Router, Schema
from pydantic import ConfigDict

from memoryserver.accounts import renaming
from memoryserver.accounts.auth import INGEST, READ, AuthenticatedRequest
from memoryserver.accounts.models import Project
from memoryserver.accounts.teams import overview
from memoryserver.problems import Problem

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


class RenameIn(Schema):
    """The key that a project has, or had, and the one that it gets."""

    model_config = ConfigDict(extra="forbid")

    key: str
    new_key: str
    share_private: bool = False


@router.post("/projects/rename", auth=INGEST, response=ProjectOut, summary="Rename a project")
def rename_project(request: AuthenticatedRequest, body: RenameIn) -> Any:
    """For its owner, or a lead of its team. Merges it with a project of the new key; the old address goes on to work.

    404 for a project that you cannot see; 409 if a team would see private rows and `share_private` is false.
    """
    try:
        project = renaming.rename(body.key, body.new_key, request.user, share=body.share_private)
    except Project.DoesNotExist as error:
        raise Problem(404, str(error)) from error
    except renaming.WouldShareError as error:
        raise Problem(409, str(error)) from error
    return overview.view_of(request.user, project)
