"""Names in the messages of the server, which name people, teams and projects by their ids alone.

The log cannot be changed and outlasts a deleted user; a page says the name that the id has today.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from django.db.models import Model

from memoryserver.accounts.models import Project, Team, User
from memoryserver.pages.filters import short_name
from obslog.incoming import SERVER_CATEGORY
from obslog.models import Observation

_KINDS: Mapping[str, tuple[type[Model], Callable[[object], str]]] = {
    "user": (User, str),
    "team": (Team, str),
    "project": (Project, short_name),
}
_ID = re.compile(rf"(?<![.\w])({'|'.join(_KINDS)}) (\d{{1,18}})\b")


def with_messages(rows: Sequence[Observation]) -> Sequence[tuple[Observation, str]]:
    """Return `rows`, each with its message in which what the server calls `user 2` has its name; a query a kind."""
    names = _names(row.message for row in rows if row.category == SERVER_CATEGORY)

    def name_of(match: re.Match[str]) -> str:
        return names.get((match[1], int(match[2])), match[0])

    return [(row, _ID.sub(name_of, row.message) if row.category == SERVER_CATEGORY else row.message) for row in rows]


def _names(messages: Iterable[str]) -> Mapping[tuple[str, int], str]:
    ids: dict[str, set[int]] = defaultdict(set)
    for message in messages:
        for kind, key in _ID.findall(message):
            ids[kind].add(int(key))
    names = {}
    for kind, keys in ids.items():
        model, name = _KINDS[kind]
        for key, row in model._default_manager.in_bulk(keys).items():
            names[kind, key] = name(row) if kind == "user" else f"{kind} {name(row)}"
    return names
