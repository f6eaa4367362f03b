"""API of trajectories: receive calls, return assessments and configurations."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from memoryserver import keyset
from memoryserver.accounts.auth import INGEST, READ, AuthenticatedRequest
from memoryserver.accounts.models import User
from memoryserver.accounts.projects import asked_key, project_for
from memoryserver.accounts.scopes import Scope
from memoryserver.common.text import one_line
from memoryserver.contract.document import answers_text
from memoryserver.problems import Problem
from memoryserver.reported_times import UtcDatetime, credible
from trajectory import assess, configs, ending, intake, sessions
from trajectory.calls import arrived
from trajectory.models import Trajectory

router = Router(tags=["trajectory"])

BATCH_LIMIT = 500
FINDINGS_LIMIT = 200


class CallBatch(Schema):
    """Calls of one session in chronological order, each with an `id` created by the client.

    A call is a record of the client, or an object with `tool_name`, `tool_input`, `success`, `error`, `result`.
    """

    session_id: str = Field(min_length=1, max_length=200)
    agent_id: str = Field("", max_length=200)
    project: str = ""
    title: str = Field("", max_length=2000, description="what the session is about, such as its first prompt")
    branch: str = Field("", max_length=500)
    calls: list[dict[str, Any]] = Field(min_length=1, max_length=BATCH_LIMIT)


class CallReceipt(Schema):
    """The result for one call."""

    id: str
    status: Literal["stored", "unchanged", "refused"]
    reason: str | None = None


class CallReceipts(Schema):
    """The result for each call, in the order sent. `tell` is text to give to the agent now, which counts as given.

    There is none for records of the client, whose own hook answers the agent.
    """

    results: list[CallReceipt]
    tell: str | None = None


class SessionEnd(Schema):
    """The end of a session with its sub-agents, or of the sub-agent `agent_id`; `id` is created by the client."""

    id: str = Field(min_length=1, max_length=100)
    session_id: str = Field(min_length=1, max_length=200)
    agent_id: str = Field("", max_length=200)
    ended_at: UtcDatetime


class SessionEnds(Schema):
    """Ends of sessions, in chronological order."""

    ends: list[SessionEnd] = Field(min_length=1, max_length=BATCH_LIMIT)


class EndReceipt(Schema):
    """The result for one end: `unchanged` where nothing ran, or a later call has continued the session."""

    id: str
    status: Literal["stored", "unchanged"]


class EndReceipts(Schema):
    """The result for each end, in the order sent."""

    results: list[EndReceipt]


class FindingOut(Schema):
    """One finding, with the calls at which it began, was last reported to the agent, and ended.

    `ended_with_session` says that its pattern had not ended before the session did.
    """

    observer: str
    severity: str
    summary: str
    identity: str
    assessment: dict[str, Any] = Field(alias="body")
    began_at_call: int
    told_at_call: int | None
    ended_at_call: int | None = Field(alias="last_call")
    ended_with_session: bool = Field(alias="outlasted_session")


class SessionOut(Schema):
    """One session, or a sub-agent's part of it; `worst` is the severity of the worst open finding, "" for none.

    `ended_at` is null while it runs. It ends by the agent's event, or with its last call after half an hour of silence.
    """

    session_id: str
    agent_id: str
    user: str = Field(alias="user.username")
    project: str | None
    title: str
    branch: str
    started_at: datetime | None
    calls: int = Field(alias="calls_made")
    observed_through: int
    last_call_at: datetime | None
    ended_at: datetime | None = Field(alias="end")
    worst: str = Field(alias="worst_open")

    @staticmethod
    def resolve_project(row: Trajectory) -> str | None:
        """Return the project's key."""
        return row.project.key if row.project else None


class SessionsOut(Schema):
    """Sessions, the latest first; `next_cursor` is null at the end."""

    sessions: list[SessionOut]
    next_cursor: str | None


class AssessmentOut(SessionOut):
    """A session with its open and ended findings, the newest first; `next_cursor` is null at the end."""

    findings: list[FindingOut]
    next_cursor: str | None


class SessionQuery(Schema):
    """Filters and page; `project` is a project's key."""

    project: str | None = None
    limit: int = Field(50, ge=1, le=200)
    cursor: str = ""


class AssessmentQuery(Schema):
    """The sub-agent, blank for the main agent, the response's format, and the page of the findings."""

    agent_id: str = ""
    cursor: str = ""
    format: Literal["json", "markdown"] = "json"


class LayerOut(Schema):
    """The configuration of one scope, such as `team crew` or `project github.com/crew/shop`."""

    scope: str
    version: int
    configuration: dict[str, Any] = Field(alias="body")


class ConfigurationOut(Schema):
    """The observers that run, and the layers of which each overrides those before it.

    Both are left out if `version` is the `known` one.
    """

    version: str
    unchanged: bool
    configuration: dict[str, Any] | None = None
    layers: list[LayerOut] | None = None


@router.post("/calls", auth=INGEST, response=CallReceipts, exclude_none=True, summary="Send tool calls of a session")
def receive_calls(request: AuthenticatedRequest, batch: CallBatch) -> dict[str, Any]:
    """Idempotent by call id. A refused call does not affect the others; its result has the reason.

    `tell` is only for tokens with the scope `read` too.
    """
    project = project_for(request.user, batch.project)
    # A laptop's records are of calls that its hook has answered: what `memory sync` is answered reaches no agent.
    in_answer = Scope.READ in request.auth.scopes and not any(map(arrived.is_record, batch.calls))
    received = intake.receive(
        request.user,
        project,
        batch.session_id,
        batch.agent_id,
        batch.calls,
        in_answer=in_answer,
        about=intake.About(batch.title, batch.branch),
    )
    return {"results": received.results, "tell": received.tell or None}


@router.post("/ends", auth=INGEST, response=EndReceipts, summary="End sessions")
def receive_ends(request: AuthenticatedRequest, batch: SessionEnds) -> dict[str, Any]:
    """Idempotent. The open findings of a session end with it; half an hour without a call ends it, too."""
    return {"results": [{"id": each.id, "status": _end(request.user, each)} for each in batch.ends]}


@router.get("/sessions", auth=READ, response=SessionsOut, summary="List sessions")
def list_sessions(request: AuthenticatedRequest, query: Annotated[SessionQuery, Query()]) -> dict[str, Any]:
    """The sessions that the token's user may see, the latest first."""
    keyset.refuse_offset(request.GET)
    rows = sessions.visible(request.user, project=asked_key(request.user, query.project or ""))
    page = keyset.page_of(rows, sessions.LATEST_FIRST, limit=query.limit, cursor=query.cursor)
    return {"sessions": page.rows, "next_cursor": page.next_cursor}


@router.get(
    "/sessions/{session_id}/assessment",
    auth=READ,
    response=AssessmentOut,
    summary="Findings of a session",
    openapi_extra=answers_text("text/markdown", "# Assessment of session 5d2c7a10"),
)
def assessment(request: AuthenticatedRequest, session_id: str, query: Annotated[AssessmentQuery, Query()]) -> Any:
    """All findings as JSON, or the open ones as Markdown in the format of the client's assessment file."""
    session = sessions.find(request.user, session_id, query.agent_id)
    if session is None:
        raise Problem(404, "session not found")
    if query.format == "markdown":
        return HttpResponse(assess.render(session), content_type="text/markdown; charset=utf-8")
    return _with_findings(session, query.cursor)


@router.get(
    "/configuration", auth=READ, response=ConfigurationOut, exclude_none=True, summary="The observers' configuration"
)
def configuration(
    request: AuthenticatedRequest, response: HttpResponse, project: str = "", known: str = ""
) -> dict[str, Any]:
    """The configuration for the token's user in the project with that key. `known` is the version the client has."""
    current = configs.effective(request.user, one_line(project))
    response.headers["ETag"] = f'"{current.version}"'
    if known == current.version:
        return {"version": current.version, "unchanged": True}
    return {"version": current.version, "unchanged": False, "configuration": current.body, "layers": current.layers}


def _end(user: User, end: SessionEnd) -> str:
    at = credible(end.ended_at, timezone.now())
    return "stored" if ending.end(user, end.session_id, end.agent_id, at) else "unchanged"


def _with_findings(row: Trajectory, cursor: str) -> Trajectory:
    page = keyset.page_of(row.findings.all(), ("-began_at", "-pk"), limit=FINDINGS_LIMIT, cursor=cursor)
    # What the schema reads: this page alone, and its cursor.
    row._prefetched_objects_cache = {"findings": page.rows}  # type: ignore[attr-defined]
    row.next_cursor = page.next_cursor  # type: ignore[attr-defined]
    return row
