"""Records of inquiries: written beside or after each answer, whose documents are counted; forgotten after KEPT_DAYS."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects
from memoryserver.common.protocol import SESSION_HEADER
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean, one_line, printable, shorten
from memoryserver.inquiries import documents as counters
from memoryserver.inquiries.models import Inquiry
from memoryserver.statements import aside

logger = logging.getLogger(__name__)

KEPT_DAYS = 90
MAX_WORDS = 500  # characters
MAX_SESSION = 200  # characters
MAX_ID = 120  # characters
MAX_DOCUMENTS = 100

_INSERT = """
    INSERT INTO inquiries_inquiry
        (user_id, project_id, kind, way, words, found, agent_session, documents, asked_at)
    VALUES (
        %(user)s, %(project)s, %(kind)s, %(way)s, %(words)s, %(found)s, %(agent_session)s, %(documents)s::text[],
        %(asked_at)s
    )
"""


def note(
    request: HttpRequest,
    kind: Inquiry.Kind,
    *,
    words: str = "",
    found: int = 0,
    project: str | None = None,
    documents: Iterable[str] = (),
) -> None:
    """Record that the user of `request` asked for something and was answered with `documents` (their ids); count these.

    `project` is the key of the one that was asked about, else of the one that was asked from. An answer must not fail
    because of this, so an error of the database is only logged.
    """
    user: User | AnonymousUser = request.user
    if isinstance(user, User):
        session = request.headers.get(SESSION_HEADER, "")
        record(user, kind, way_of(request), words, found, project, documents=documents, session=session)


def record(
    user: User,
    kind: Inquiry.Kind,
    way: Inquiry.Way,
    words: str,
    found: int,
    project: str | None,
    *,
    documents: Iterable[str],
    session: str,
) -> None:
    """Record an inquiry as `note` does; `session` is the id of the agent's session, "" if it is not known."""
    ids, now = list(documents), timezone.now()
    try:
        about = visible_projects(user).filter(key=clean(project)).first() if project else None
        values = {
            "user": user.pk,
            "project": about.pk if about else None,
            "kind": kind,
            "way": way,
            "words": shorten(redact(one_line(printable(words[: 4 * MAX_WORDS]))).text, MAX_WORDS),
            "found": found,
            "agent_session": one_line(clean(session))[:MAX_SESSION],
            "documents": [clean(name)[:MAX_ID] for name in ids][:MAX_DOCUMENTS],
            "asked_at": now,
        }
        with aside.together():
            aside.write(_INSERT, values)
            counters.count(kind, ids, now.date())
    except DatabaseError:
        logger.exception("an inquiry was not recorded", extra={"kind": kind})


def way_of(request: HttpRequest) -> Inquiry.Way:
    """Return how a request came: the laptop's programs say so in their User-Agent."""
    if not request.path.startswith("/api/"):
        return Inquiry.Way.PAGE
    program = request.headers.get("User-Agent", "")
    if not program.startswith("memory/"):
        return Inquiry.Way.API
    return Inquiry.Way.AGENT if "(agent)" in program else Inquiry.Way.COMMAND


def forget_old() -> None:
    """Delete what was asked more than KEPT_DAYS ago."""
    Inquiry.objects.filter(asked_at__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()
