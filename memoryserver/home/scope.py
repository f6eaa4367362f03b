"""The scope bar of pages: a team, a project and a period, kept in the query string."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Model, Q, QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from memoryserver.accounts.models import User
from memoryserver.accounts.projects import current_key
from memoryserver.accounts.visibility import viewer, visible_projects, visible_rows, visible_teams
from memoryserver.common.text import clean, one_line, printable, shorten
from memoryserver.home.weeks import Units, units_between, weeks_until
from memoryserver.pages.filters import short_name
from memoryserver.statements.compiled import USER, CompiledRows

Row = TypeVar("Row", bound=Model)

PERIODS: Mapping[str, str] = {"7": "7 days", "30": "30 days", "90": "90 days"}
DEFAULT_PERIOD = "7"
ANY_TIME = ""  # the default period of lists
NAMES = ("team", "project", "days")
"""The parameters of the query string that form the scope; every link between pages keeps them."""

_SHOWN = 80  # characters of a parameter in a sentence

EVERYTHING = Q()
"""The condition of a scope that leaves nothing out."""


@dataclass(frozen=True)
class PageScope:
    """What a page shows: rows that `user` may see, of `project` and `team`, of the last `days` until `now`.

    `project` is a key, `team` a name, each "" for all. With 0 days the period has no beginning. A period that is over
    has its end in `until`.
    """

    user: User | AnonymousUser
    project: str
    days: int
    now: datetime
    team: str = ""
    until: datetime | None = None

    @property
    def end(self) -> datetime:
        """When the period ends."""
        return self.until or self.now

    @property
    def since(self) -> datetime:
        """When the period begins; the year 1 if it has no beginning."""
        return self.end - timedelta(days=self.days) if self.days else datetime(1, 1, 1, tzinfo=UTC)

    @property
    def before(self) -> datetime:
        """When the period before it begins, which figures are compared with."""
        return self.end - timedelta(days=2 * self.days)

    def by_week(self, rows: QuerySet[Row], moment: str, **counts: Count) -> Sequence[Mapping[str, int]]:
        """Return `counts` of `rows` in each of twelve calendar weeks, the last one that of the period's end."""
        return weeks_until(self.end).count(rows, moment, **counts)

    @property
    def units(self) -> Units:
        """The days of a short period, the weeks of a longer one."""
        return units_between(self.since, self.end)

    def link(self, name: str, *args: object, **query: str) -> str:
        """Return the address of the page `name` with `args`, with this scope and `query`."""
        chosen = {"team": self.team, "project": self.project, "days": str(self.days) if self.days else "", **query}
        shown = {key: value for key, value in chosen.items() if value}
        return f"{reverse(name, args=args)}?{urlencode(shown)}" if shown else reverse(name, args=args)

    def rows(self, rows: QuerySet[Row]) -> QuerySet[Row]:
        """Return those of `rows` (of an OwnedModel) that the user may see, in the team and project if one is chosen."""
        return visible_rows(rows, self.user).filter(self.condition)

    def within(self, moment: str) -> Q:
        """Return `condition` and that the time in the field `moment` is in the period."""
        return self.condition & self.period(moment)

    def period(self, moment: str) -> Q:
        """Return the condition that the time in the field `moment` is in the period."""
        began = Q((f"{moment}__gte", self.since)) if self.days else Q()
        return began & Q((f"{moment}__lt", self.until)) if self.until else began

    def period_before(self, moment: str) -> Q:
        """Return the condition that the time in the field `moment` is in the period before."""
        return Q((f"{moment}__gte", self.before), (f"{moment}__lt", self.since))

    def compared(self, moment: str) -> Q:
        """Return the condition that the time in the field `moment` is in the period or the one before.

        To count both by one statement reads nothing older then. A period without a beginning has all that is before
        its end.
        """
        ended = Q((f"{moment}__lt", self.until)) if self.until else Q()
        return Q((f"{moment}__gte", self.before)) & ended if self.days else ended

    @property
    def condition(self) -> Q:
        """The condition on rows of an OwnedModel to be in the chosen team and project, without their visibility."""
        condition = Q(project__team__name=clean(self.team)) if self.team else Q()
        return condition & Q(project__key=clean(self.project)) if self.project else condition


@dataclass(frozen=True)
class ProjectChoice:
    """A project of the scope bar: its key, the short name unless another has it too, and the names of its teams."""

    key: str
    name: str
    teams: Sequence[str]


@dataclass(frozen=True)
class ScopeBar:
    """What the scope bar offers: the names of teams, the projects, and the periods."""

    scope: PageScope
    teams: Sequence[str]
    projects: Sequence[ProjectChoice]
    periods: Mapping[str, str]

    @property
    def days(self) -> str:
        """The key of the chosen period."""
        return str(self.scope.days) if self.scope.days else ANY_TIME


def scope_of(user: User | AnonymousUser, params: QueryDict, default: str = DEFAULT_PERIOD) -> PageScope:
    """Return the scope in a query string; an unknown period counts as the `default` one.

    A team or project that the user does not see, and a project that is not in the chosen team, count as none: an old
    address shows what the scope bar then says, which names what was left out.
    """
    days = params.get("days", default)
    project, team = params.get("project", ""), params.get("team", "")
    if team and not visible_teams(user).filter(name=clean(team)).exists():
        team = ""
    of_team = {"team__name": clean(team)} if team else {}
    if project:
        project = current_key(visible_projects(user).filter(**of_team), project)
    return PageScope(user, project, int((days if days in PERIODS else default) or 0), timezone.now(), team)


def left_out(scope: PageScope, params: QueryDict) -> Sequence[str]:
    """Return the team and the project that `params` name and `scope_of` left out, each as in `project “shop”`."""
    chosen = {"team": scope.team, "project": scope.project}
    asked = {name: named(name, params.get(name, "")) for name in chosen}
    return [asked[name] for name, value in chosen.items() if asked[name] and not value]


def named(name: str, value: str) -> str:
    """Return a parameter of the query string for a sentence, as in `project “shop”`; "" for an empty one."""
    shown = shorten(one_line(printable(value)), _SHOWN)
    return shown and f"{name} “{shown}”"


def bar_of(scope: PageScope, default: str = DEFAULT_PERIOD) -> ScopeBar:
    """Return what the scope bar of a page with the `default` period offers."""
    user = viewer(scope.user)
    teams_of: dict[str, list[str]] = defaultdict(list)
    for key, team in _PROJECTS.rows(user=user):
        teams_of[key] += [team] if team else []
    names = Counter(short_name(key) for key in teams_of)
    return ScopeBar(
        scope,
        [name for (name,) in _TEAMS.rows(user=user)],
        [
            ProjectChoice(key, short_name(key) if names[short_name(key)] == 1 else key, teams)
            for key, teams in teams_of.items()
        ],
        PERIODS if default else {ANY_TIME: "any time", **PERIODS},
    )


_PROJECTS = CompiledRows(
    lambda: visible_projects(User(pk=USER)).order_by("key", "team__name").values_list("key", "team__name")
)
_TEAMS = CompiledRows(lambda: visible_teams(User(pk=USER)).order_by("name").values_list("name"))


def query_of(params: QueryDict) -> str:
    """Return the scope in `params` as a query string that begins with "?", "" without one."""
    chosen = chosen_in(params)
    return f"?{urlencode(chosen)}" if chosen else ""


def chosen_in(params: QueryDict) -> dict[str, str]:
    """Return those of NAMES that `params` has a value for, with the value."""
    return {name: value for name in NAMES if (value := params.get(name, ""))}
