"""Names in place of the ids in observations of the server, which name people, teams and projects by their ids alone.

The log cannot be changed and outlasts a deleted user; a page says the name that the id has today.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from memoryserver.accounts.models import Project, Team, User
from memoryserver.pages.filters import short_ids, short_name
from memoryserver.statements.compiled import IDS, CompiledRows
from obslog.incoming import SERVER_CATEGORY
from obslog.models import Observation

_Names = Mapping[tuple[str, str], str]
_KINDS: Mapping[str, tuple[CompiledRows, Callable[[str], str]]] = {
    "user": (CompiledRows(lambda: User.objects.filter(pk__in=[IDS]).values_list("pk", "username")), str),
    "team": (CompiledRows(lambda: Team.objects.filter(pk__in=[IDS]).values_list("pk", "name")), "team {}".format),
    "project": (
        CompiledRows(lambda: Project.objects.filter(pk__in=[IDS]).values_list("pk", "key")),
        lambda key: f"project {short_name(key)}",
    ),
}
_IN_MESSAGE = re.compile(rf"(?<![.\w])({'|'.join(_KINDS)}) (\d{{1,18}})\b")
_SCOPE = re.compile(rf"({'|'.join(_KINDS)}):(\d{{1,18}})")


class Described(NamedTuple):
    """An observation as a page shows it: its message, and its scope ids, each with what it is called there."""

    row: Observation
    message: str
    scopes: Sequence[tuple[str, str]]


def described(rows: Sequence[Observation]) -> Sequence[Described]:
    """Return `rows`, each as a page shows it; a query a kind.

    What the server calls `user 2` in a message, or `project:3` in a scope id, has its name. Of a UUID the first eight
    digits are shown. Messages of others stay as they are, and so do their scope ids but for the length of a UUID.
    """
    by_server = [row for row in rows if _is_by_server(row)]
    scopes = (match.groups() for row in by_server for scope in row.scope_ids if (match := _SCOPE.fullmatch(scope)))
    names = _names([*_in_messages(by_server), *scopes])
    return [Described(row, _message(row, names), _scopes(row, names)) for row in rows]


def with_messages(rows: Sequence[Observation]) -> Sequence[tuple[Observation, str]]:
    """Return `rows`, each with its message as `described` has it; scope ids are not read."""
    names = _names(_in_messages([row for row in rows if _is_by_server(row)]))
    return [(row, _message(row, names)) for row in rows]


def _is_by_server(row: Observation) -> bool:
    return bool(row.category == SERVER_CATEGORY)


def _in_messages(rows: Iterable[Observation]) -> Iterable[tuple[str, str]]:
    return (reference for row in rows for reference in _IN_MESSAGE.findall(row.message))


def _names(references: Iterable[tuple[str, ...]]) -> _Names:
    ids: dict[str, set[int]] = defaultdict(set)
    for kind, key in references:
        ids[kind].add(int(key))
    names: dict[tuple[str, str], str] = {}
    for kind, keys in ids.items():
        statement, name = _KINDS[kind]
        names |= {(kind, str(key)): name(text) for key, text in statement.rows(ids=sorted(keys))}
    return names


def _message(row: Observation, names: _Names) -> str:
    if not _is_by_server(row):
        return row.message
    return short_ids(_IN_MESSAGE.sub(lambda match: names.get((match[1], match[2]), match[0]), row.message))


def _scopes(row: Observation, names: _Names) -> Sequence[tuple[str, str]]:
    own_names = names if _is_by_server(row) else {}
    return [(scope, _name(scope, own_names) or short_ids(scope)) for scope in row.scope_ids]


def _name(scope: str, names: _Names) -> str | None:
    match = _SCOPE.fullmatch(scope)
    return names.get((match[1], match[2])) if match else None
