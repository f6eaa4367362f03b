"""Learnings that were followed: a command that they name was run after they were put into a context or returned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.db.models import Q

from capture.belief import usage
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.hooks.commands import CommandRun
from memoryserver.statements.cache import Cache

_MAX_LEARNINGS = 500  # of a project, the last seen ones
_CODE = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"[\w./-]+(?: \S+)+")  # a program alone is too common to say that anything was followed


@dataclass(frozen=True)
class _Named:
    """A learning that names commands, and what finds each in a text."""

    learning: int
    first_seen: datetime
    patterns: Sequence[re.Pattern[str]]

    def is_followed_by(self, runs: Iterable[CommandRun]) -> bool:
        """Return whether one of the commands was run after the learning was met."""
        return any(
            run.ran_at > self.first_seen and any(pattern.search(run.text) for pattern in self.patterns) for run in runs
        )


_cache: Cache[tuple[int, str], Sequence[_Named]] = Cache(size=200, seconds=60)
"""The commands of each user's project. An agent runs many in a minute, and hardly any is one that a learning names."""


def note_commands(runs: Sequence[CommandRun]) -> None:
    """Count, at most once a day, the learnings of the runs' projects that name a command and were given before.

    A learning of the last minute may be missed.
    """
    ordered = sorted(runs, key=_owner)
    for _, group in groupby(ordered, key=_owner):
        own = list(group)
        if (project := own[0].project) is not None:
            _count_followed(own[0].user, project, own)


def _count_followed(user: User, project: Project, runs: Sequence[CommandRun]) -> None:
    """Look among the commands that are named; what was run is looked up, for it must be given and still visible."""
    key = user.pk, project.key
    named = _cache.get(key)
    if named is None:
        named = _named(user, project)
        _cache.put(key, named)
    followed = [each.learning for each in named if each.is_followed_by(runs)]
    if followed:
        given = Q(usage__shown__gt=0) | Q(usage__returned__gt=0)
        rows = visible_rows(Learning.objects.filter(given, pk__in=followed, hidden=False, merged_into=None), user)
        usage.count("followed", rows.values_list("pk", flat=True))


def _named(user: User, project: Project) -> Sequence[_Named]:
    rows = Learning.objects.filter(project__key=project.key, hidden=False, merged_into=None, content__contains="`")
    latest = visible_rows(rows, user).order_by("-last_seen", "-pk")
    values = latest.values_list("pk", "first_seen", "content")[:_MAX_LEARNINGS]
    named = [_Named(key, first_seen, tuple(map(_occurrence, _commands(text)))) for key, first_seen, text in values]
    return [each for each in named if each.patterns]


def _commands(content: str) -> Sequence[str]:
    return [" ".join(code.split()) for code in _CODE.findall(content) if _COMMAND.fullmatch(code.strip())]


def _occurrence(command: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-]){re.escape(command)}(?![\w-])")


def _owner(run: CommandRun) -> tuple[int, int]:
    return run.user.pk, run.project.pk if run.project else 0
