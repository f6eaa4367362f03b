"""Export and import of data as JSON lines: a header, then a line for each row.

Exported is what people and agents have written. Search documents, vectors, findings and clusters are left out: the
server that imports the lines derives them again. Its own observations (`system:...`) are exported and not imported.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from django.utils import timezone

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.projects import project_for
from memoryserver.accounts.transfer import kinds
from memoryserver.accounts.transfer.kinds import Kind, Outcome
from memoryserver.accounts.visibility import own_rows, visible_rows
from memoryserver.common import clock
from memoryserver.errors import InvalidInputError
from memoryserver.parsing import decoded

FORMAT, VERSION = "memoryserver-data", 1
MAX_REASONS = 20
_BATCH = 100
_CHUNK = 500


@dataclass
class Result:
    """How many lines were stored, unchanged and refused, and the first MAX_REASONS reasons of refusals."""

    stored: int = 0
    unchanged: int = 0
    refused: int = 0
    reasons: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome, line: int) -> None:
        """Count the outcome of a line."""
        setattr(self, outcome.status, getattr(self, outcome.status) + 1)
        if outcome.status == "refused" and len(self.reasons) < MAX_REASONS:
            self.reasons.append(f"line {line}: {outcome.reason}")


def export(user: User, project: Project | None = None) -> Iterator[str]:
    """Yield the lines of all that belongs to `user`, or of all rows in `project` that they see, of all authors."""
    about = {"user": user.get_username(), "project": project.key if project else None}
    yield _line({"format": FORMAT, "version": VERSION, "exported_at": timezone.now(), **about})
    for kind in kinds.all_kinds():
        if project is None:
            rows = own_rows(kind.rows(), user)
        elif kind.is_personal:
            continue
        else:
            rows = visible_rows(kind.rows().filter(project=project), user)
        rows = rows.select_related("user") if kind.is_personal else rows.select_related("user", "project")
        for row in rows.order_by("pk").iterator(chunk_size=_CHUNK):
            yield _line(_envelope(kind, row))


def load(lines: Iterable[str], user: User, *, keep_authors: bool = False) -> Result:
    """Store exported `lines` for `user`, or with `keep_authors` for the user of each author's name.

    Texts are cleaned and redacted as those that the API receives. Each row is stored once, also if it is imported
    again. A line whose author has no account is refused, as is an invalid one, without affecting the others. Raises
    InvalidInputError if the first line is not the header of an export.
    """
    numbered = ((number, _parsed(line, number)) for number, line in enumerate(lines, 1) if line.strip())
    check_header(next(numbered, (1, None))[1])
    result = Result()
    for batch in _batches(numbered):
        for number, outcome in _load_batch(batch, user, keep_authors=keep_authors):
            result.add(outcome, number)
    return result


def load_rows(rows: Sequence[Any], user: User) -> list[Outcome]:
    """Store exported rows for `user` as `load` does, and return what became of each."""
    batches = _batches(enumerate(rows))
    return [outcome for batch in batches for _, outcome in _load_batch(batch, user, keep_authors=False)]


_Numbered = tuple[int, Any]
_Outcomes = tuple[int, Outcome]


def _batches(numbered: Iterable[_Numbered]) -> Iterator[list[_Numbered]]:
    """Yield runs of lines with one kind, project and author, at most _BATCH at once."""
    for _, run in groupby(numbered, key=_place_of):
        batch: list[_Numbered] = []
        for item in run:
            batch.append(item)
            if len(batch) == _BATCH:
                yield batch
                batch = []
        if batch:
            yield batch


def _place_of(numbered: _Numbered) -> tuple[str, str, str]:
    line = numbered[1] if isinstance(numbered[1], dict) else {}
    return str(line.get("kind")), str(line.get("project") or ""), str(line.get("author"))


def _load_batch(batch: list[_Numbered], user: User, *, keep_authors: bool) -> Iterator[_Outcomes]:
    """Yield the outcome of each line of the batch, with its number."""
    name, key, author = _place_of(batch[0])
    kind = kinds.find(name)
    owner = User.objects.filter(username=author, is_active=True).first() if keep_authors else user
    reason = (
        f"unknown kind {name!r}"
        if kind is None
        else f"there is no user {author!r} here"
        if owner is None
        else "a line needs an object `data`"
        if not all(isinstance(line.get("data"), dict) for _, line in batch)
        else ""
    )
    if reason or kind is None or owner is None:
        outcomes: list[Outcome] = [Outcome("refused", reason)] * len(batch)
    else:
        items = [line["data"] for _, line in batch]
        outcomes = list(kind.load(owner, project_for(owner, key), items))
    for (number, _), outcome in zip(batch, outcomes, strict=True):
        yield number, outcome


def _envelope(kind: Kind, row: Any) -> dict[str, Any]:
    project = None if kind.is_personal else row.project
    return {
        "kind": kind.name,
        "project": project.key if project else None,
        "author": row.user.get_username(),
        "data": kind.item_of(row),
    }


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, default=_time_text) + "\n"


def _time_text(value: Any) -> str:
    """Return a time with its microseconds, which Django's encoder cuts, so that an imported one is the same."""
    if isinstance(value, datetime):
        return clock.to_text(value)
    raise TypeError(f"{type(value).__name__} cannot be exported")


def _parsed(line: str, number: int) -> Any:
    try:
        return decoded(line)
    except ValueError as error:
        raise InvalidInputError(f"line {number} is not JSON: {error}") from error


def check_header(header: Any) -> None:
    """Raise InvalidInputError unless `header` is that of an export which this version reads."""
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InvalidInputError("line 1 is not the header of an export; use a file that `memory export` wrote")
    if header.get("version") != VERSION:
        raise InvalidInputError(f"the export has version {header.get('version')}; this server reads version {VERSION}")
