"""API of trajectories: calls come in, assessments and configurations go out."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpResponse
from ninja import Field, Query, Router, Schema

from memoryserver.accounts.auth import AuthenticatedRequest
from memoryserver.accounts.projects import project_for
from memoryserver.accounts.visibility import visible_projects
from memoryserver.problems import Problem
from trajectory import assess, configs, intake, sessions
from trajectory.models import AssessmentRecord, Trajectory

router = Router(tags=["trajectory"])

BATCH_LIMIT = 500


class CallBatch(Schema):
    """Calls of one session, in the order in which they were made, each with an `id` that its client made.

    A call is a record as `memory` keeps it, or an object with `tool_name`, `tool_input`, `success`, `error`, `result`.
    """

    session_id: str = Field(min_length=1, max_length=200)
    agent_id: str = Field("", max_length=200)
    project: str = ""
    calls: list[dict[str, Any]] = Field(min_length=1, max_length=BATCH_LIMIT)


class CallReceipt(Schema):
    """What became of one call."""

    id: str
    status: Literal["stored", "unchanged", "refused"]
    reason: str | None = None


class CallReceipts(Schema):
    """What became of each call, in the order sent. `tell` is what to put before the agent now."""

    results: list[CallReceipt]
    tell: str | None = None


class FindingOut(Schema):
    """One finding, with the calls at which it began, was told and ended."""

    observer: str
    severity: str
    summary: str
    identity: str
    assessment: dict[str, Any] = Field(alias="body")
    began_at_call: int
    told_at_call: int | None
    ended_at_call: int | None


class SessionOut(Schema):
    """One session, or a sub-agent's part of it; `worst` is the severity of the worst finding that stands."""

    session_id: str
    agent_id: str
    user: str = Field(alias="user.username")
    project: str | None
    calls: int = Field(alias="calls_made")
    observed_through: int
    last_call_at: datetime | None
    worst: str

    @staticmethod
    def resolve_project(row: Trajectory) -> str | None:
        """By its key."""
        return row.project.key if row.project else None


class SessionsOut(Schema):
    """Sessions, the one used last first."""

    sessions: list[SessionOut]


class AssessmentOut(SessionOut):
    """A session and what stands in it, and what stood."""

    findings: list[FindingOut]


class SessionQuery(Schema):
    """Which sessions; `project` is a project's key."""

    project: str | None = None
    limit: int = Field(50, ge=1, le=200)
    offset: int = Field(0, ge=0, le=100_000)


class AssessmentQuery(Schema):
    """Whose part of the session, and in which form."""

    agent_id: str = ""
    format: Literal["json", "markdown"] = "json"


class ConfigurationOut(Schema):
    """Which observers run; without `configuration` where `version` is the one that was `known`."""

    version: str
    unchanged: bool
    configuration: dict[str, Any] | None = None


@router.post("/calls", response=CallReceipts, exclude_none=True, summary="Send tool calls of a session")
def receive_calls(request: AuthenticatedRequest, batch: CallBatch) -> dict[str, Any]:
    """Idempotent by call id. A refused call holds up no other: its result says why."""
    project = project_for(request.user, batch.project)
    received = intake.receive(request.user, project, batch.session_id, batch.agent_id, batch.calls)
    return {"results": received.results, "tell": received.tell or None}


@router.get("/sessions", response=SessionsOut, summary="List sessions")
def list_sessions(request: AuthenticatedRequest, query: Annotated[SessionQuery, Query()]) -> dict[str, Any]:
    """Those that the token's user may see, the one used last first."""
    found = sessions.visible(request.user, project=query.project)
    return {"sessions": found[query.offset : query.offset + query.limit]}


@router.get("/sessions/{session_id}/assessment", response=AssessmentOut, summary="What was found in a session")
def assessment(request: AuthenticatedRequest, session_id: str, query: Annotated[AssessmentQuery, Query()]) -> Any:
    """As JSON with all findings, or as Markdown with those that stand, as the laptop's assessment file has them."""
    found = sessions.find(request.user, session_id, query.agent_id)
    if found is None:
        raise Problem(404, "there is no such session, or it is not yours to see")
    if query.format == "markdown":
        return HttpResponse(assess.render(found), content_type="text/markdown; charset=utf-8")
    return _with_findings(found)


@router.get("/configuration", response=ConfigurationOut, exclude_none=True, summary="Which observers run")
def configuration(
    request: AuthenticatedRequest, response: HttpResponse, project: str = "", known: str = ""
) -> dict[str, Any]:
    """What holds for the token's user in the project of that key. `known` is the version that the asker has."""
    place = visible_projects(request.user).filter(key=project).order_by("pk").first() if project else None
    holds = configs.effective(request.user, place)
    response.headers["ETag"] = f'"{holds.version}"'
    same = known == holds.version
    return {"version": holds.version, "unchanged": same, "configuration": None if same else holds.body}


def _with_findings(row: Trajectory) -> Trajectory:
    rows: list[AssessmentRecord] = list(row.findings.all()[:200])
    row._prefetched_objects_cache = {"findings": rows}  # type: ignore[attr-defined]  # the newest alone
    return row
