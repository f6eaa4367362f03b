"""API of learnings: list, store, correct, pin, hide and delete them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Query, Router, Schema, Status
from pydantic import ConfigDict

from capture import curation, learnings, sink
from capture.belief import explanation, rules, usage
from capture.curation import DuplicateLearningError
from capture.incoming import MAX_CONTENT, LearningType, Names
from capture.models import Learning
from capture.reading import SOURCE
from memoryserver.accounts.auth import INGEST, MANAGE, READ, AuthenticatedRequest
from memoryserver.accounts.projects import project_for
from memoryserver.clocks import UtcDatetime
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import note
from memoryserver.problems import Problem

router = Router(tags=["learnings"])

_FIELDS = (
    *("type", "content", "source", "confidence", "files", "tools"),
    *("seen_count", "first_seen", "last_seen", "pinned"),
)


class LearningsQuery(Schema):
    """Filters and page. `project` is a project's key; every word of `text` must occur; `state` is shown, pinned,
    corrected, provisional, merged, hidden or all; `mine` excludes team mates' learnings; `source` is agent, observed or
    stated.
    """

    project: str = ""
    type: str = ""
    source: str = ""
    text: str = ""
    state: str = "shown"
    mine: bool = False
    limit: int = 50
    cursor: str = ""


class LearningOut(Schema):
    """A learning. `may_change` says whether the token's user may correct, pin and hide it.

    `source` is agent, observed or stated: the agent itself, what happened, what was said. `in_context` says whether it
    may enter a session's context, and `why` gives the reasons. It is `provisional` while the session that it comes from
    still runs.
    """

    id: int
    type: str
    content: str
    source: str
    confidence: float
    in_context: bool
    provisional: bool
    why: str
    files: list[str]
    tools: list[str]
    user: str
    project: str | None
    seen_count: int
    first_seen: datetime
    last_seen: datetime
    pinned: bool
    hidden: bool
    may_change: bool


class LearningPage(Schema):
    """Learnings, pinned first, then the last seen; `next_cursor` is null at the end."""

    learnings: list[LearningOut]
    next_cursor: str | None


class MergedOut(Schema):
    """A learning that says the same and was merged into the shown one."""

    id: int
    content: str
    user: str
    seen_count: int


class SourceOut(Schema):
    """A message that the learning comes from, with its agent and transcript.

    `user` is whose agent it was; `wording` is what was learned there if that was merged into this learning, else "".
    `message_time` and `captured_at` are what the transcript and the laptop say, `received_at` is the server's time.
    """

    user: str
    wording: str
    context_id: str
    transcript: str
    agent_kind: str
    agent: str
    session_id: str
    branch: str
    message_index: int
    message_uuid: str
    message_time: datetime | None
    captured_at: datetime
    received_at: datetime


class SourcesOut(Schema):
    """Messages that the learning comes from, the latest first; `next_cursor` is null at the end."""

    sources: list[SourceOut]
    next_cursor: str | None


class ChangeOut(Schema):
    """A change by a person, or by the server: `made_by` is null. `before` is the wording before a correction."""

    what: str
    before: str
    made_by: str | None
    made_at: datetime


class LearningDetail(LearningOut):
    """A learning with its sources and changes, the newest first.

    `sources` are the first 100; `next_source` is the cursor of the others at `/learnings/{key}/sources`.
    `by_hand_at` is when its owner stored it by hand, null if it was only captured. `merged` are learnings that were
    merged into it; `merged_into` is the one that is shown instead of it, null if it was not merged. `uses` counts the
    days on which it was in a context (`shown`) and on which it was followed, and how often it was returned by a search,
    opened, quoted and contradicted.
    """

    reasons: list[str]
    merged: list[MergedOut]
    merged_into: int | None
    uses: dict[str, int]
    by_hand_at: datetime | None
    sources: list[SourceOut]
    next_source: str | None
    changes: list[ChangeOut]


class NewLearning(Schema):
    """A learning to store by hand. `project` is a project's key.

    `session_id` is the agent's session in which it was learned, `time` when; by default it is not known, and now.
    """

    model_config = ConfigDict(extra="forbid")

    type: LearningType = "learning"
    content: str = Field(min_length=1, max_length=MAX_CONTENT)
    project: str = ""
    files: Names = []
    tools: Names = []
    session_id: str = Field("", max_length=200)
    time: UtcDatetime | None = Field(
        None, description="when it was learned; null for now", examples=["2026-01-15T14:05:00Z"]
    )


class StoredByHand(Schema):
    """The learning; `new` is false if it was already stored; then its count was increased."""

    id: int
    new: bool
    hidden: bool


class LearningChanges(Schema):
    """Attributes to change; those left out stay as they are."""

    model_config = ConfigDict(extra="forbid")

    content: str | None = Field(None, min_length=1, max_length=MAX_CONTENT)
    pinned: bool | None = None
    hidden: bool | None = None


@router.get("", auth=READ, response=LearningPage, summary="List learnings")
def find(request: AuthenticatedRequest, query: Annotated[LearningsQuery, Query()]) -> Any:
    """The learnings that the token's user may see."""
    params: dict[str, Any] = query.dict()
    limit, cursor = params.pop("limit"), params.pop("cursor")
    try:
        page = learnings.find(request.user, learnings.Filter(**params), limit=limit, cursor=cursor)
    except ValueError as error:
        raise Problem(422, str(error)) from error
    return {
        "learnings": [_out(learning, learning.pk in page.changeable) for learning in page.learnings],
        "next_cursor": page.next_cursor,
    }


@router.post("", auth=INGEST, response={200: StoredByHand, 201: StoredByHand}, summary="Store a learning by hand")
def store(request: AuthenticatedRequest, body: NewLearning) -> Any:
    """201 for a new learning, 200 for one that was already stored, 422 for one that was deleted."""
    incoming = sink.IncomingLearning(
        **body.dict(exclude={"project", "session_id"}),
        confidence=1.0,
        source_message_index=0,
        reasons=["stored by hand"],
    )
    try:
        learning, new = sink.store_by_hand(
            request.user, project_for(request.user, body.project), incoming, session_id=body.session_id
        )
    except ValueError as error:
        raise Problem(422, str(error)) from error
    if learning is None:
        raise Problem(422, "this learning was deleted; reword it to store it again")
    return Status(201 if new else 200, {"id": learning.pk, "new": new, "hidden": learning.hidden})


@router.get("/{int:key}", auth=READ, response=LearningDetail, summary="One learning with its provenance")
def get(request: AuthenticatedRequest, key: int) -> Any:
    """A learning with the transcripts, messages and agents it comes from."""
    learning = learnings.get(request.user, key)
    usage.count("opened", [key])
    document = f"{SOURCE}/{key}"
    note(request, Inquiry.Kind.OPEN, words=document, found=1, documents=[document])
    return _detail(request, learning)


@router.get("/{int:key}/sources", auth=READ, response=SourcesOut, summary="The messages that a learning comes from")
def find_sources(request: AuthenticatedRequest, key: int, cursor: str = "") -> Any:
    """`cursor` is the `next_cursor` of the last response, or `next_source` of the learning."""
    page = learnings.origins(learnings.get(request.user, key), request.user, cursor)
    return {"sources": [vars(origin) for origin in page.origins], "next_cursor": page.next_cursor}


@router.patch("/{int:key}", auth=MANAGE, response=LearningDetail, summary="Correct, pin or hide a learning")
def change(request: AuthenticatedRequest, key: int, body: LearningChanges) -> Any:
    """Only for the learning's author, or who manages its project. 409 if another learning has the same wording."""
    try:
        curation.change(request.user, key, **body.dict())
    except DuplicateLearningError as error:
        raise Problem(409, str(error), learning=error.learning.pk) from error
    except ValueError as error:
        raise Problem(422, str(error)) from error
    return _detail(request, learnings.get(request.user, key))


@router.post("/{int:key}/separate", auth=MANAGE, response=LearningDetail, summary="Undo a merge")
def separate(request: AuthenticatedRequest, key: int) -> Any:
    """Shows a merged learning on its own again. For the authors of both, and who manages their project."""
    curation.separate(request.user, key)
    return _detail(request, learnings.get(request.user, key))


@router.post("/{int:key}/restore", auth=MANAGE, response=LearningDetail, summary="Undo a verdict of the judge")
def restore(request: AuthenticatedRequest, key: int) -> Any:
    """Restores the wording too. Only for the owner of the learning or of its project."""
    curation.restore(request.user, key)
    return _detail(request, learnings.get(request.user, key))


@router.delete("/{int:key}", auth=MANAGE, response={204: None}, summary="Delete a learning")
def delete(request: AuthenticatedRequest, key: int) -> Any:
    """Only for its owner. Only digests of its wordings are kept, so that it is not captured again."""
    curation.delete(request.user, key)
    return Status(204, None)


def _out(learning: Learning, may_change: bool) -> dict[str, Any]:
    judgement = rules.judgement(learning)
    return {
        "id": learning.pk,
        **{name: getattr(learning, name) for name in _FIELDS},
        "in_context": judgement.in_context,
        "provisional": judgement.provisional,
        "why": explanation.explain(learning, judgement),
        "user": str(learning.user),
        "project": learning.project.key if learning.project else None,
        "hidden": learning.hidden,
        "may_change": may_change,
    }


def _detail(request: AuthenticatedRequest, learning: Learning) -> dict[str, Any]:
    page = learnings.origins(learning, request.user)
    return {
        **_out(learning, learnings.may_change(request.user, learning)),
        "reasons": learning.reasons,
        "merged": [_merged_out(row) for row in learnings.merged(learning)],
        "merged_into": learning.merged_into_id,
        "uses": usage.uses(learning),
        "by_hand_at": learning.by_hand_at,
        "sources": [vars(origin) for origin in page.origins],
        "next_source": page.next_cursor,
        "changes": [
            {
                "what": change.what,
                "before": change.before,
                "made_by": str(change.made_by) if change.made_by else None,
                "made_at": change.made_at,
            }
            for change in learning.changes.all()
        ],
    }


def _merged_out(row: Learning) -> dict[str, Any]:
    return {"id": row.pk, "content": row.content, "user": str(row.user), "seen_count": row.seen_count}
