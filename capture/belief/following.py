"""Learnings that were followed: a command that they name was run after they were put into a context or returned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from django.db.models import Q

from capture.belief import usage
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.hooks.commands import CommandRun

_MAX_LEARNINGS = 500  # of a project, the last seen ones
_CODE = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"[\w./-]+(?: \S+)+")  # a program alone is too common to say that anything was followed


def note_commands(runs: Sequence[CommandRun]) -> None:
    """Count, at most once a day, the learnings of the runs' projects that name a command and were given before."""
    ordered = sorted(runs, key=_owner)
    for _, group in groupby(ordered, key=_owner):
        own = list(group)
        if (project := own[0].project) is not None:
            _note(own[0].user, project, own)


def _note(user: User, project: Project, runs: Sequence[CommandRun]) -> None:
    given = Q(usage__shown__gt=0) | Q(usage__returned__gt=0)
    rows = Learning.objects.filter(
        given, project__key=project.key, hidden=False, merged_into=None, content__contains="`"
    )
    candidates = visible_rows(rows, user).order_by("-last_seen", "-pk")[:_MAX_LEARNINGS]
    usage.count("followed", [row.pk for row in candidates if _is_followed(row, runs)])


def _is_followed(row: Learning, runs: Iterable[CommandRun]) -> bool:
    patterns = [_occurrence(command) for command in _commands(row.content)]
    return any(run.ran_at > row.first_seen and any(pattern.search(run.text) for pattern in patterns) for run in runs)


def _commands(content: str) -> Sequence[str]:
    return [" ".join(code.split()) for code in _CODE.findall(content) if _COMMAND.fullmatch(code.strip())]


def _occurrence(command: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-]){re.escape(command)}(?![\w-])")


def _owner(run: CommandRun) -> tuple[int, int]:
    return run.user.pk, run.project.pk if run.project else 0
