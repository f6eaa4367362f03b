"""By which wordings a learning is known."""

from __future__ import annotations

import hashlib
import re

from django.db import connection

from capture.models import LearningIdentity
from memoryserver.accounts.models import Project, User
from memoryserver.common.redaction import redact

_CUT = re.compile(r"\[redacted:[^\]\s]*\]")


def hold(user: User) -> None:
    """Until the transaction ends nobody else stores or changes learnings of `user`.

    So two deliveries, or a delivery and a correction or deletion, that meet follow each other, and what a person
    decided holds.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('learnings of ' || %s, 0))", [str(user.pk)])


def claim(user: User, project: Project | None, kind: str, content: str) -> tuple[LearningIdentity, bool]:
    """The identity of this wording, and whether it is new; call `hold` before."""
    return LearningIdentity.objects.get_or_create(user=user, project=project, type=kind, digest=digest_of(content))


def wording(content: str) -> str:
    """`content` as it is kept, without secrets and private parts; "" where nothing else was in it."""
    kept = redact(content).text.strip()
    return kept if _CUT.sub("", kept).strip() else ""


def digest_of(content: str) -> str:
    """Of `content` without regard to white space and case."""
    return text_digest(" ".join(content.split()).casefold())


def text_digest(text: str) -> str:
    """Of `text` as it stands."""
    return hashlib.sha256(text.encode()).hexdigest()
