"""The section of a project's learnings in a session's context."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from capture.belief import explanation, rules, usage
from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.context.sections import PINNED, Line, Section

_MAX_LINES = 40
_CONTRADICTED = " (contradicted by a later one, not yet decided)"


def lines(user: User, project: str) -> Sequence[Line]:
    """Return the most useful learnings of `project` that are believed: pinned first, then by weight."""
    rows = visible_rows(Learning.objects.filter(project__key=project), user)
    return [_line(row) for row in rules.believed(rows)[:_MAX_LINES]]


def left_out(user: User, project: str) -> Sequence[Line]:
    """Return the learnings of `project` that are not believed, the weightiest first; no hidden and no merged ones."""
    rows = visible_rows(Learning.objects.filter(project__key=project, hidden=False, merged_into=None), user)
    return [_line(row) for row in rules.unbelieved(rows)[:_MAX_LINES]]


def _line(row: Learning) -> Line:
    judgement = rules.judgement(row)
    return Line(
        f"[{row.type}] {row.content}{_CONTRADICTED if judgement.contradicted else ''}",
        judgement.weight + (PINNED if row.pinned else 0.0),
        key=str(row.pk),
        why=explanation.explain(row, judgement),
        page=reverse("learning", args=[row.pk]),
        document=f"learnings/{row.pk}",
    )


def count_shown(lines: Sequence[Line]) -> None:
    """Count that the learnings of `lines` were put into a context."""
    usage.count("shown", [int(line.key) for line in lines])


SECTION = Section(name="learned", title="Learned here", lines=lines, left_out=left_out, included=count_shown)
