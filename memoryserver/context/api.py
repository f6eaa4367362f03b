"""API of the context that a session starts with."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from ninja import Query, Router, Schema

from memoryserver.accounts.auth import AuthenticatedRequest
from memoryserver.context import service
from memoryserver.problems import Problem

router = Router(tags=["search"])


class SectionOut(Schema):
    """Lines of one kind, the most helpful first."""

    name: str
    title: str
    lines: list[str]


class ContextOut(Schema):
    """The sections, and the same as Markdown; both are empty where there is nothing to tell."""

    project: str
    generated_at: datetime
    sections: list[SectionOut]
    text: str


class ContextQuery(Schema):
    """Of which project, by its key, and in how many characters at most."""

    project: str
    chars: int = service.CHARS


@router.get("", response=ContextOut, operation_id="context", summary="What a session in a project should know")
def context(request: AuthenticatedRequest, query: Annotated[ContextQuery, Query()]) -> Any:
    """The most useful learnings, what tends to fail and which strategies work, as far as the token's user may see it.

    All of it is quoted: each line is bounded, on one line, and opens no fence and no tag.
    """
    try:
        return service.context_of(request.user, query.project, query.chars)
    except service.InvalidContextError as error:
        raise Problem(422, str(error)) from error
