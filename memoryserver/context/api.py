"""API endpoint of the context given to a session at its start."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from ninja import Query, Router, Schema

from memoryserver.accounts.auth import READ, AuthenticatedRequest
from memoryserver.accounts.projects import known_project, stored_key
from memoryserver.context import explanation, service
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import note

router = Router(tags=["search"])


class SectionOut(Schema):
    """A section: its lines, the most useful first."""

    name: str
    title: str
    lines: list[str]


class ContextOut(Schema):
    """The sections, and the same as Markdown; both are empty if the project has no memory yet."""

    project: str
    generated_at: datetime
    sections: list[SectionOut]
    text: str


class ExplainedLineOut(Schema):
    """A line and what became of it: `included`, `no room`, `repeated` or `left out`.

    `why` are the reasons; `page` is the path of the line's page, "" if it has none.
    """

    section: str
    text: str
    outcome: str
    why: str
    weight: float
    page: str


class ExplanationOut(Schema):
    """The lines of a context: the included ones first, then what is not in it, each group the best first."""

    project: str
    generated_at: datetime
    chars: int
    lines: list[ExplainedLineOut]


class ContextQuery(Schema):
    """The project's key, and the maximum length in characters."""

    project: str
    chars: int = service.CHARS


@router.get(
    "", auth=READ, response=ContextOut, operation_id="context", summary="The context of a project for a new session"
)
def context(request: AuthenticatedRequest, query: Annotated[ContextQuery, Query()]) -> Any:
    """The most useful learnings, common failures and working strategies that the token's user may see.

    All text is quoted: each item is one bounded line without fences or tags.
    """
    built = service.build_context(request.user, _key(request, query), query.chars)
    note(
        request, Inquiry.Kind.CONTEXT, found=built.text.count("\n- "), project=built.project, documents=built.documents
    )
    return built


@router.get("/explanation", auth=READ, response=ExplanationOut, summary="Why each line of a project's context is there")
def context_explanation(request: AuthenticatedRequest, query: Annotated[ContextQuery, Query()]) -> Any:
    """The lines that a context of this length has, and those that it does not have, with the reasons."""
    return explanation.explain(request.user, _key(request, query), query.chars)


def _key(request: AuthenticatedRequest, query: ContextQuery) -> str:
    """Return the key that the project has now, which may be another one than a laptop with an old remote sends."""
    project = known_project(request.user, stored_key(query.project))
    return project.key if project else query.project
