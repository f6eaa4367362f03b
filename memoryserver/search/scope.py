"""What a search may find: who may see it, and everything that narrows it, as one queryset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryserver.accounts.models import Team, User
from memoryserver.accounts.visibility import visible_projects, visible_rows
from memoryserver.common.text import one_line, shorten
from memoryserver.search import engine
from memoryserver.search.moments import moment
from memoryserver.search.sources import Source, all_sources
from memoryserver.vectors.models import Record

Mode = Literal["hybrid", "semantic", "lexical"]
MODES: Sequence[Mode] = ("hybrid", "semantic", "lexical")

MAX_QUERY = 2_000
MAX_LIMIT = 100
_MOST_NAMED = 12


class InvalidSearchError(ValueError):
    """The search asked for is not valid; the text says why."""


@dataclass(frozen=True)
class Search:
    """What is sought, in words, and what narrows it; what is None narrows nothing.

    `project` is a project's key, `user` a user's name, `team` a team's. `since` (inclusive) and `until` (exclusive)
    are read by `moments.moment`. `filters` are the sources' own, such as `{"outcome": "falsified"}`: whatever has no
    such field is not found. `limit` is from 1 to 100.
    """

    query: str
    mode: Mode = "hybrid"
    source: str | None = None
    axis: str | None = None
    project: str | None = None
    user: str | None = None
    team: str | None = None
    since: str | None = None
    until: str | None = None
    filters: Mapping[str, str] = field(default_factory=dict)
    limit: int = 10
    offset: int = 0


def checked_query(wanted: Search) -> str:
    """The words of `wanted` on one line. InvalidSearchError where they, the mode or the page cannot be."""
    query = one_line(wanted.query)
    if not query.replace("\ufffd", "").strip():
        raise InvalidSearchError("the query is empty; say in a few words what you look for")
    if len(query) > MAX_QUERY:
        raise InvalidSearchError(f"the query has {len(query)} characters; at most {MAX_QUERY} are taken")
    if not 1 <= wanted.limit <= MAX_LIMIT:
        raise InvalidSearchError(f"limit must be from 1 to {MAX_LIMIT}")
    if not 0 <= wanted.offset <= engine.CANDIDATES:
        raise InvalidSearchError(f"offset must be from 0 to {engine.CANDIDATES}")
    _one_of("mode", wanted.mode, MODES)
    return query


def scope_of(user: User | AnonymousUser, wanted: Search) -> QuerySet[Record]:
    """The records that `user` may see and `wanted` allows. InvalidSearchError for a value that there is not."""
    records = visible_rows(Record.objects.filter(_in_collections(wanted)), user)
    if wanted.project is not None:
        known = visible_projects(user).values_list("key", flat=True)
        records = records.filter(project__key=_one_of("project", wanted.project, known))
    if wanted.team is not None:
        teams = Team.objects.filter(members__in=_itself(user)).values_list("name", flat=True)
        records = records.filter(project__team__name=_one_of("team", wanted.team, teams))
    if wanted.user is not None:
        records = records.filter(user__username=_one_of("user", wanted.user, _seen_users(user)))
    times = _times(wanted)
    return records.filter(**times) if times else records


def collections_of(wanted: Search) -> list[str]:
    """The collections in which `wanted` is sought. InvalidSearchError as `scope_of` raises it."""
    return [name for source in _asked(wanted) for name in _names(source, wanted)]


def _in_collections(wanted: Search) -> Q:
    """By source, axis and the sources' own filters: what of the payload must be, for each source that has it."""
    condition = Q(pk__in=[])
    for source in _asked(wanted):
        names = _names(source, wanted)
        if names:
            condition |= Q(collection__in=names) & source.narrowed(wanted.filters)
    return condition


def _names(source: Source, wanted: Search) -> list[str]:
    return [name for name, axis in source.collections.items() if wanted.axis in (None, axis)]


def _asked(wanted: Search) -> list[Source]:
    """The sources that are asked: the one named, or else those by default and those alone in what is asked of them."""
    every = all_sources()
    if wanted.source is not None:
        _one_of("source", wanted.source, [source.name for source in every])
        sources = [source for source in every if source.name == wanted.source]
    else:
        sources = _unnamed(every, wanted)
    if wanted.axis is not None:
        _one_of("axis", wanted.axis, [axis for source in sources for axis in source.collections.values()])
    for name, value in wanted.filters.items():
        sources = _having(sources, name, value)
    return sources


def _unnamed(every: Sequence[Source], wanted: Search) -> list[Source]:
    usual = [source for source in every if source.by_default]
    known = {name for source in usual for name in source.filters}
    telling = set(wanted.filters) - known
    return usual + [
        source
        for source in every
        if not source.by_default and (telling & set(source.filters) or wanted.axis in source.collections.values())
    ]


def _having(sources: Sequence[Source], name: str, value: str) -> list[Source]:
    """Those of `sources` that can be narrowed by `name`."""
    every = sorted({known for source in all_sources() for known in source.filters})
    _one_of("filter", name, every)
    having = [source for source in sources if name in source.filters]
    if not having:
        raise InvalidSearchError(f"{name} cannot be asked for together with the other filters; leave one out")
    if all(source.filters[name].choices for source in having):
        _one_of(name, value, [choice for source in having for choice in source.filters[name].choices])
    return having


def _times(wanted: Search) -> dict[str, datetime]:
    now = timezone.now()
    times: dict[str, datetime] = {}
    for name, text, lookup in (("since", wanted.since, "created_at__gte"), ("until", wanted.until, "created_at__lt")):
        if text is None:
            continue
        try:
            times[lookup] = moment(text, now)
        except ValueError as error:
            raise InvalidSearchError(f"{name} {_shown(text)} cannot be read; {error}") from error
    return times


def _itself(user: User | AnonymousUser) -> list[User]:
    return [user] if isinstance(user, User) and user.is_active else []


def _seen_users(user: User | AnonymousUser) -> Iterable[str]:
    """The names of those whose memory `user` may see some of: their own and their team mates'."""
    mates = User.objects.filter(teams__members__in=_itself(user)).values_list("username", flat=True)
    return [mine.get_username() for mine in _itself(user)] + list(mates)


def _one_of(what: str, value: str, known: Iterable[str]) -> str:
    choices = list(dict.fromkeys(known))
    if value in choices:
        return value
    named = ", ".join(choices[:_MOST_NAMED]) + (" and more" if len(choices) > _MOST_NAMED else "")
    raise InvalidSearchError(f"there is no {what} {_shown(value)}; there are: {named or 'none yet'}")


def _shown(value: str) -> str:
    return repr(shorten(one_line(value), 60))
