"""Records of inquiries: written beside each answer, and forgotten after KEPT_DAYS."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.db import DatabaseError, transaction
from django.http import HttpRequest
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean, one_line, printable, shorten
from memoryserver.inquiries.models import Inquiry

logger = logging.getLogger(__name__)

KEPT_DAYS = 90
MAX_WORDS = 500  # characters


def note(
    request: HttpRequest, kind: Inquiry.Kind, *, words: str = "", found: int = 0, project: str | None = None
) -> None:
    """Record that the user of `request` asked for something; `project` is the key of the one that was asked about.

    An answer must not fail because of this, so an error of the database is only logged.
    """
    user: User | AnonymousUser = request.user
    if not isinstance(user, User):
        return
    try:
        with transaction.atomic():
            Inquiry.objects.create(
                user=user,
                project=visible_projects(user).filter(key=clean(project)).first() if project else None,
                kind=kind,
                way=way_of(request),
                words=shorten(redact(one_line(printable(words[: 4 * MAX_WORDS]))).text, MAX_WORDS),
                found=found,
            )
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
