"""The kinds of data that are exported; each app registers its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import QuerySet

from memoryserver.accounts.models import Project, User

Status = Literal["stored", "unchanged", "refused"]


@dataclass(frozen=True)
class Outcome:
    """What became of one imported item; `reason` only if it was refused."""

    status: Status
    reason: str = ""


@dataclass(frozen=True)
class Kind:
    """One kind of data, such as `ghap.entry`.

    `rows` are all rows of the kind, of a model with `user`; unless it `is_personal` the model is an OwnedModel.
    `item_of` gives a row as JSON types, without user and project; `load` stores such items for a user and project, each
    once however often it is imported, and returns the outcome of each. It raises nothing for an invalid item.
    """

    name: str
    rows: Callable[[], QuerySet[Any]]
    item_of: Callable[[Any], dict[str, Any]]
    load: Callable[[User, Project | None, Sequence[dict[str, Any]]], Sequence[Outcome]]
    is_personal: bool = False


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Add `kind`; registering a name again replaces it."""
    _kinds[kind.name] = kind


def find(name: object) -> Kind | None:
    """Return the kind with this name, None if there is none."""
    return _kinds.get(name) if isinstance(name, str) else None


def all_kinds() -> Iterator[Kind]:
    """Yield the kinds by their names."""
    for name in sorted(_kinds):
        yield _kinds[name]
