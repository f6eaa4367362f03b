"""Parts of an entry's body as it was sent: to read, check and redact all of it takes ten times as long as one part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ghap.local import Lesson, Outcome, RootCause
from ghap.local.fields import bounded


def surprise_of(body: Mapping[str, Any]) -> str:
    """Return what was unexpected to the entry `body`, "" where nothing is said of it."""
    surprise = body.get("surprise")
    return "" if surprise is None else bounded(surprise, "surprise")


def cause_of(body: Mapping[str, Any]) -> str:
    """Return the description of the root cause of the entry `body`, "" where it is not known."""
    cause = body.get("root_cause")
    return "" if cause is None else RootCause.from_dict(cause).description


def lesson_of(body: Mapping[str, Any]) -> Lesson | None:
    """Return the lesson of the entry `body`, if it has one."""
    lesson = body.get("lesson")
    return None if lesson is None else Lesson.from_dict(lesson)


def result_of(body: Mapping[str, Any]) -> str:
    """Return what came out of the resolved entry `body`."""
    return Outcome.from_dict(body["outcome"]).result
