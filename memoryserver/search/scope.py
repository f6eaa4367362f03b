"""The scope of a search: visibility and all filters as one queryset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Literal

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.accounts.projects import current_key
from memoryserver.accounts.visibility import visible_people, visible_projects, visible_rows, visible_teams
from memoryserver.common.text import one_line, shorten
from memoryserver.errors import InvalidInputError
from memoryserver.search import engine
from memoryserver.search.dates import parse_date
from memoryserver.search.plan import Scope
from memoryserver.search.sources import Source, all_sources
from memoryserver.vectors.models import Record

Mode = Literal["hybrid", "semantic", "lexical"]
MODES: Sequence[Mode] = ("hybrid", "semantic", "lexical")

MAX_QUERY = 2_000
MAX_LIMIT = 100
_MAX_LISTED = 12


class InvalidSearchError(InvalidInputError):
    """The search is invalid; the text says why. `where` is the parameter with a value that does not exist, or ""."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message)
        self.where = where


@dataclass(frozen=True)
class Search:
    """The parameters of a search: the query, its filters (None: no filter) and the page.

    `project` is a project's key, and so is `here`, that of the project asked from: what is of it comes first if it is
    half as good as another result, and it may be unknown. `user` is a user's name, `team` a team's. `since` (inclusive)
    and `until` (exclusive) are parsed by `dates.parse_date`. `filters` are those of the sources, such as
    `{"outcome": "falsified"}`: sources without that field are not searched. `limit` is from 1 to 100.
    """

    query: str
    mode: Mode = "hybrid"
    source: str | None = None
    axis: str | None = None
    project: str | None = None
    here: str | None = None
    user: str | None = None
    team: str | None = None
    since: str | None = None
    until: str | None = None
    filters: Mapping[str, str] = field(default_factory=dict)
    limit: int = 10
    offset: int = 0

    @property
    def is_filtered(self) -> bool:
        """Whether a filter leaves out records of the collections that are searched."""
        filters = (self.project, self.user, self.team, self.since, self.until)
        return bool(self.filters) or any(value is not None for value in filters)


def validated_query(criteria: Search) -> str:
    """Return the query on one line. Raises InvalidSearchError if the query, the mode or the page is invalid."""
    query = one_line(criteria.query)
    if not query.replace("\ufffd", "").strip():
        raise InvalidSearchError("the query is empty; describe in a few words what you are looking for")
    if len(query) > MAX_QUERY:
        raise InvalidSearchError(f"the query has {len(query)} characters; the maximum is {MAX_QUERY}")
    if not 1 <= criteria.limit <= MAX_LIMIT:
        raise InvalidSearchError(f"limit must be from 1 to {MAX_LIMIT}")
    if not 0 <= criteria.offset <= engine.CANDIDATES:
        raise InvalidSearchError(f"offset must be from 0 to {engine.CANDIDATES}")
    _one_of("mode", criteria.mode, MODES)
    return query


def statement_of(user: User | AnonymousUser, criteria: Search) -> Scope:
    """Return the SQL of `scope_of`, made once for each user where it needs no filter to be checked."""
    if criteria.is_filtered or not isinstance(user, User):
        return Scope.of(scope_of(user, criteria))
    known = tuple((source.name, source.by_default, *source.collections.items()) for source in all_sources())
    return _unfiltered(user.pk, user.is_active, criteria.source, criteria.axis, known)


@lru_cache(maxsize=1_000)
def _unfiltered(user: int, is_active: bool, source: str | None, axis: str | None, known: object) -> Scope:
    return Scope.of(scope_of(User(pk=user, is_active=is_active), Search("", source=source, axis=axis)))


def scope_of(user: User | AnonymousUser, criteria: Search) -> QuerySet[Record]:
    """Return the records that `user` may see and `criteria` match. Raises InvalidSearchError for an unknown value."""
    records = visible_rows(Record.objects.filter(_in_collections(criteria)), user)
    if criteria.project is not None:
        projects = visible_projects(user).order_by("key")
        keys = projects.values_list("key", flat=True)
        key = criteria.project if criteria.project in keys else current_key(projects, criteria.project)
        records = records.filter(project__key=_one_of("project", key or criteria.project, keys))
    if criteria.team is not None:
        teams = visible_teams(user).order_by("name").values_list("name", flat=True)
        records = records.filter(project__team__name=_one_of("team", criteria.team, teams))
    if criteria.user is not None:
        people = visible_people(user).order_by("username").values_list("username", flat=True)
        records = records.filter(user__username=_one_of("user", criteria.user, people))
    times = _times(criteria)
    return records.filter(**times) if times else records


def collections_of(criteria: Search) -> list[str]:
    """Return the names of the collections to search. Raises InvalidSearchError as `scope_of` does."""
    return [name for source in _selected_sources(criteria) for name in _collection_names(source, criteria)]


def _in_collections(criteria: Search) -> Q:
    """Return the condition on collection and payload: by source, axis and the sources' own filters."""
    condition = Q(pk__in=[])
    for source in _selected_sources(criteria):
        names = _collection_names(source, criteria)
        if names:
            condition |= Q(collection__in=names) & source.payload_condition(criteria.filters)
    return condition


def _collection_names(source: Source, criteria: Search) -> list[str]:
    return [name for name, axis in source.collections.items() if criteria.axis in (None, axis)]


def _selected_sources(criteria: Search) -> list[Source]:
    """Return the source that is named, or the default ones and those that alone have a requested filter or axis."""
    sources = all_sources()
    if criteria.source is not None:
        _one_of("source", criteria.source, [source.name for source in sources])
        sources = [source for source in sources if source.name == criteria.source]
    else:
        sources = _implied_sources(sources, criteria)
    if criteria.axis is not None:
        _one_of("axis", criteria.axis, [axis for source in sources for axis in source.collections.values()])
    for name, value in criteria.filters.items():
        sources = _with_filter(sources, name, value)
    return sources


def _implied_sources(sources: Sequence[Source], criteria: Search) -> list[Source]:
    defaults = [source for source in sources if source.by_default]
    default_filters = {name for source in defaults for name in source.filters}
    special_filters = set(criteria.filters) - default_filters
    return defaults + [
        source
        for source in sources
        if not source.by_default
        and (special_filters & set(source.filters) or criteria.axis in source.collections.values())
    ]


def _with_filter(sources: Sequence[Source], name: str, value: str) -> list[Source]:
    """Return the `sources` with the filter `name`. Raises InvalidSearchError if there is none or `value` is unknown."""
    _one_of("filter", name, sorted({known for source in all_sources() for known in source.filters}))
    matching = [source for source in sources if name in source.filters]
    if not matching:
        raise InvalidSearchError(f"{name} cannot be combined with the other filters; remove one")
    if all(source.filters[name].choices for source in matching):
        _one_of(name, value, [choice for source in matching for choice in source.filters[name].choices])
    return matching


def _times(criteria: Search) -> dict[str, datetime]:
    now = timezone.now()
    times: dict[str, datetime] = {}
    for name, text, lookup in (
        ("since", criteria.since, "created_at__gte"),
        ("until", criteria.until, "created_at__lt"),
    ):
        if text is None:
            continue
        try:
            times[lookup] = parse_date(text, now)
        except ValueError as error:
            raise InvalidSearchError(f"{name} {_shown(text)} is invalid; {error}") from error
    return times


def _one_of(what: str, value: str, allowed: Iterable[str]) -> str:
    """Return `value`. Raises InvalidSearchError, naming the choices, unless it is one of `allowed`."""
    choices = list(dict.fromkeys(allowed))
    if value in choices:
        return value
    listed = ", ".join(choices[:_MAX_LISTED]) + (" and more" if len(choices) > _MAX_LISTED else "")
    raise InvalidSearchError(f"unknown {what} {_shown(value)}; choose from: {listed or 'none yet'}", what)


def _shown(value: str) -> str:
    return repr(shorten(one_line(value), 60))
