"""Parameters that several endpoints of the journal take."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.accounts.projects import visible_key
from memoryserver.errors import InvalidInputError
from memoryserver.search.dates import parse_date


def project_key(user: User, project: str | None) -> str | None:
    """Return the key as stored, None for None. Raises InvalidInputError unless `user` can see such a project."""
    return None if project is None else visible_key(user, project)


def moment(name: str, text: str | None) -> datetime | None:
    """Return the time in the parameter `name`, None for None. Raises InvalidInputError if `text` is not a time."""
    try:
        return None if text is None else parse_date(text, timezone.now())
    except ValueError as error:
        raise InvalidInputError(f"{name}: {error}") from error
