"""Parameters that several endpoints of the journal take."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.accounts.projects import visible_key
from memoryserver.problems import Problem
from memoryserver.search.dates import parse_date


def project_key(user: User, project: str | None) -> str | None:
    """Return the key as stored, None for None. Raises Problem 422 unless `user` may see a project with that key."""
    try:
        return None if project is None else visible_key(user, project)
    except ValueError as error:
        raise Problem(422, str(error)) from error


def moment(name: str, text: str | None) -> datetime | None:
    """Return the time that `text`, the parameter `name`, means, None for None. Raises Problem 422 if it means none."""
    try:
        return None if text is None else parse_date(text, timezone.now())
    except ValueError as error:
        raise Problem(422, f"{name}: {error}") from error
