"""API for agents' hooks: requests and responses have the format of the agent's hooks."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Header, Router

from memoryserver.accounts.auth import INGEST_BY_STATEMENT, AuthenticatedRequest
from memoryserver.accounts.scopes import Scope
from memoryserver.common import hook_event
from memoryserver.common.hook_event import HookEvent
from memoryserver.common.redaction import redact_value
from memoryserver.hooks import service
from memoryserver.parsing import OrjsonRenderer
from memoryserver.problems import Problem

router = Router(tags=["hooks"])
_renderer = OrjsonRenderer()

_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "description": "the event as Claude Code posts it",
                    "required": ["hook_event_name", "session_id"],
                    "properties": {
                        "hook_event_name": {"type": "string"},
                        "session_id": {"type": "string"},
                        "agent_id": {"type": "string"},
                        "cwd": {"type": "string"},
                    },
                }
            }
        },
    }
}


@router.post(
    "/claude-code",
    auth=INGEST_BY_STATEMENT,
    response=dict[str, Any],
    openapi_extra=_BODY,
    summary="Receive a hook event",
)
def claude_code(
    request: AuthenticatedRequest,
    project: Annotated[str, Header("", alias="Memoryserver-Project", description="a project's key")],
) -> HttpResponse:
    """Tool calls, prompts, final messages, starts and ends of sessions; the response to any other event is `{}`.

    The default project is the one named like the folder in which the session began. The answer has something for the
    model only if the token has the scope `read` too.
    """
    try:
        event = _event(request)
    except Exception:
        INGEST_BY_STATEMENT.confirm(request)
        raise
    answer = service.quick_answer(request.user, event, project, may_read=_may_read(request), token=request.token_guard)
    if answer is None:
        INGEST_BY_STATEMENT.confirm(request)
        answer = service.answer(request.user, event, project, may_read=_may_read(request))
    # Any object is valid, so it is not validated as other responses are.
    content = _renderer.render(request, answer, response_status=200)
    return HttpResponse(content, content_type="application/json; charset=utf-8")


def _event(request: AuthenticatedRequest) -> HookEvent:
    try:
        return HookEvent(redact_value(hook_event.parse(request.body).raw))
    except hook_event.EventError as error:
        raise Problem(400, str(error).replace("standard input", "the body")) from error


def _may_read(request: AuthenticatedRequest) -> bool:
    return Scope.READ in request.auth.scopes
