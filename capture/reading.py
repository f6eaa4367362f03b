"""Learnings as documents, by id and by time."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from capture.belief import answers
from capture.models import Learning, LearningSource
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.common.text import parse_number
from memoryserver.search.documents import Document
from memoryserver.search.lookup import Finder, Match, match_of
from memoryserver.search.sources import Side

SOURCE = answers.SOURCE
PAGE = "learning"
_MAX_SOURCES = 20


def read(user: User, key: str) -> Sequence[Document]:
    """Return the learning with that id, if `user` may see it and it is not hidden."""
    return [_document(row) for row in _with_key(user, key)]


def near(user: User, here: Document, side: Side, limit: int) -> Sequence[Document]:
    """Return the `limit` learnings first seen next to `here` on that side, of its project or its transcripts."""
    sources = LearningSource.objects.filter(capture__state__context_id__in=here.threads)
    same = Q(pk__in=sources.values("learning"))
    if here.project_id is not None:
        same |= Q(project=here.project_id)
    rows = _visible(user).filter(same, merged_into=None)
    if side == "before":
        rows = rows.filter(first_seen__lte=here.created_at).order_by("-first_seen", "-pk")
    else:
        rows = rows.filter(first_seen__gt=here.created_at).order_by("first_seen", "pk")
    return [_document(row) for row in rows[:limit]]


def find(user: User, word: str, limit: int) -> Sequence[Match]:
    """Return the learning with that id; a number has no beginnings to find it by."""
    return [_match(row) for row in _with_key(user, word)]


def _match(row: Learning) -> Match:
    key = f"{SOURCE}/{row.pk}"
    return match_of(row, "learning", key, title=row.content, created_at=row.first_seen, page_name=PAGE)


FINDER = Finder(SOURCE, find, PAGE, lambda user, key: find(user, key, 1))


def _visible(user: User) -> QuerySet[Learning]:
    rows = Learning.objects.filter(hidden=False).select_related("user", "project")
    return visible_rows(rows.prefetch_related("sources__capture__state"), user)


def _with_key(user: User, key: str) -> list[Learning]:
    number = parse_number(key)
    return [] if number is None else list(_visible(user).filter(pk=number))


def _document(row: Learning) -> Document:
    sources = list(row.sources.all())
    return Document(
        source=SOURCE,
        key=str(row.pk),
        kind=row.type,
        title=row.content,
        text=row.content,
        user=row.user.get_username(),
        project=row.project.key if row.project else None,
        created_at=row.first_seen,
        details={
            "type": row.type,
            "source": row.source,
            "confidence": row.confidence,
            "reasons": row.reasons,
            "files": row.files,
            "tools": row.tools,
            "seen": row.seen_count,
            "first_seen": row.first_seen,
            "last_seen": row.last_seen,
            "sources": [
                {
                    "transcript": source.capture.state.context_id,
                    "message": source.message_index,
                    "uuid": source.message_uuid,
                }
                for source in sources[:_MAX_SOURCES]
            ],
        },
        project_id=row.project_id,
        threads=frozenset(source.capture.state.context_id for source in sources),
    )
