"""API of learnings: list, store, correct, pin, hide and delete them."""

from __future__ import annotations

from typing import Annotated, Any

from django.db import transaction
from ninja import Query, Router, Status

from capture import curation, learnings, sink
from capture.belief import explanation, rules, usage
from capture.curation import DuplicateLearningError
from capture.deliveries import IncomingLearning
from capture.exchange.learning_schemas import (
    HiddenChange,
    LearningChanges,
    LearningDetail,
    LearningPage,
    LearningsQuery,
    NewLearning,
    SourcesOut,
    StoredByHand,
    UsesOut,
)
from capture.models import Learning
from capture.reading import SOURCE
from capture.review import replacing
from memoryserver.accounts.auth import INGEST, MANAGE, READ, AuthenticatedRequest
from memoryserver.accounts.projects import asked_key, project_and_new
from memoryserver.inquiries import uses
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import note
from memoryserver.problems import Problem

router = Router(tags=["learnings"])

_FIELDS = (
    *("type", "content", "source", "confidence", "files", "tools"),
    *("seen_count", "first_seen", "last_seen", "pinned"),
)


@router.get("", auth=READ, response=LearningPage, summary="List learnings")
def find(request: AuthenticatedRequest, query: Annotated[LearningsQuery, Query()]) -> Any:
    """The learnings that the token's user may see."""
    params: dict[str, Any] = query.dict()
    limit, cursor = params.pop("limit"), params.pop("cursor")
    params["project"] = asked_key(request.user, query.project)
    page = learnings.find(request.user, learnings.Filter(**params), limit=limit, cursor=cursor)
    return {
        "learnings": [_out(learning, learning.pk in page.changeable) for learning in page.learnings],
        "next_cursor": page.next_cursor,
    }


@router.post("", auth=INGEST, response={200: StoredByHand, 201: StoredByHand}, summary="Store a learning by hand")
def store(request: AuthenticatedRequest, body: NewLearning) -> Any:
    """201 for a new learning, 200 for one that was already stored, 422 for one that was deleted.

    422 also for an id in `replaces` of a learning that the token's user cannot see; then nothing is stored.
    """
    incoming = IncomingLearning(
        **body.dict(exclude={"project", "session_id", "stored_by", "replaces"}),
        confidence=1.0,
        source_message_index=0,
        reasons=["stored by hand"],
    )
    with transaction.atomic():
        project, new_project = project_and_new(request.user, body.project)
        learning, new = sink.store_by_hand(
            request.user,
            project,
            incoming,
            session_id=body.session_id,
            stored_by=body.stored_by or "",
        )
        if learning is not None and body.replaces:
            replacing.replace(request.user, learning, body.replaces)
    if learning is None:
        raise Problem(422, "this learning was deleted; reword it to store it again")
    answer = {"id": learning.pk, "new": new, "hidden": learning.hidden, "new_project": new_project}
    return Status(201 if new else 200, answer)


@router.get("/{int:key}", auth=READ, response=LearningDetail, summary="One learning with its provenance")
def get(request: AuthenticatedRequest, key: int) -> Any:
    """A learning with the transcripts, messages and agents it comes from."""
    learning = learnings.get(request.user, key)
    document = f"{SOURCE}/{key}"
    note(request, Inquiry.Kind.OPEN, words=document, found=1, documents=[document])
    return _detail(request, learning)


@router.get("/{int:key}/sources", auth=READ, response=SourcesOut, summary="The messages that a learning comes from")
def find_sources(request: AuthenticatedRequest, key: int, cursor: str = "") -> Any:
    """`cursor` is the `next_cursor` of the last response, or `next_source` of the learning."""
    page = learnings.origins(learnings.get(request.user, key), request.user, cursor)
    return {"sources": [vars(origin) for origin in page.origins], "next_cursor": page.next_cursor}


@router.get("/{int:key}/uses", auth=READ, response=UsesOut, summary="Where a learning was used")
def find_uses(request: AuthenticatedRequest, key: int, cursor: str = "") -> Any:
    """The answers that had it: those of the token's user, and of others in projects that they share."""
    learnings.get(request.user, key)
    page = uses.of_document(request.user, f"{SOURCE}/{key}", cursor)
    return {"uses": [_use_out(use) for use in page.uses], "next_cursor": page.next_cursor}


@router.patch("/{int:key}", auth=MANAGE, response=LearningDetail, summary="Correct, pin or hide a learning")
def change(request: AuthenticatedRequest, key: int, body: LearningChanges) -> Any:
    """Only for the learning's author, or who manages its project. 409 if another learning has the same wording."""
    try:
        curation.change(request.user, key, **body.dict())
    except DuplicateLearningError as error:
        raise Problem(409, str(error), learning=error.learning.pk) from error
    return _detail(request, learnings.get(request.user, key))


@router.post("/{int:key}/hide", auth=INGEST, response=LearningDetail, summary="Hide a learning, or show it again")
def hide(request: AuthenticatedRequest, key: int, body: HiddenChange) -> Any:
    """The one change for which the token of a laptop is enough, since it can be undone. Who may do it is as above."""
    curation.change(request.user, key, hidden=body.hidden)
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
        "by_hand_by": learning.by_hand_by or ("agent" if learning.by_hand_session else ""),
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


def _use_out(use: uses.Use) -> dict[str, Any]:
    return {
        **{name: getattr(use, name) for name in ("at", "kind", "way", "user")},
        "asked": use.words,
        "session_id": use.session,
        "page": use.session_page,
    }


def _merged_out(row: Learning) -> dict[str, Any]:
    return {"id": row.pk, "content": row.content, "user": str(row.user), "seen_count": row.seen_count}
