"""The scope bar of pages: a team, a project and a period, kept in the query string."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, DurationField, ExpressionWrapper, F, Model, Q, QuerySet, Value
from django.db.models.functions import Extract, Floor
from django.http import QueryDict
from django.utils import timezone
from django.utils.http import urlencode

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects, visible_rows, visible_teams
from memoryserver.common.text import clean
from memoryserver.page_filters import short_name

Row = TypeVar("Row", bound=Model)

PERIODS: Mapping[str, str] = {"7": "7 days", "30": "30 days", "90": "90 days"}
DEFAULT_PERIOD = "7"
ANY_TIME = ""  # the default period of lists
NAMES = ("team", "project", "days")
"""The parameters of the query string that form the scope; every link between pages keeps them."""
WEEKS = 12
_WEEK = 7 * 86_400.0  # seconds


@dataclass(frozen=True)
class PageScope:
    """What a page shows: rows that `user` may see, of `project` and `team`, of the last `days` until `now`.

    `project` is a key, `team` a name, each "" for all. With 0 days the period has no beginning.
    """

    user: User | AnonymousUser
    project: str
    days: int
    now: datetime
    team: str = ""

    @property
    def since(self) -> datetime:
        """When the period begins; the year 1 if it has no beginning."""
        return self.now - timedelta(days=self.days) if self.days else datetime(1, 1, 1, tzinfo=UTC)

    @property
    def before(self) -> datetime:
        """When the period before it begins, which figures are compared with."""
        return self.now - timedelta(days=2 * self.days)

    @property
    def week_starts(self) -> Sequence[datetime]:
        """The beginnings of the last WEEKS weeks, each of seven days and the last one until now."""
        return [self.now - timedelta(weeks=number) for number in range(WEEKS, 0, -1)]

    def by_week(self, rows: QuerySet[Row], moment: str, **counts: Count) -> Sequence[Mapping[str, int]]:
        """Return `counts` of `rows` for each week of `week_starts`, by the time in the field `moment`; one query."""
        age = ExpressionWrapper(Value(self.now) - F(moment), output_field=DurationField())
        recent = rows.filter(**{f"{moment}__gt": self.week_starts[0], f"{moment}__lte": self.now}).order_by()
        grouped = recent.annotate(week=Floor(Extract(age, "epoch") / _WEEK)).values("week").annotate(**counts)
        weeks: list[Mapping[str, int]] = [dict.fromkeys(counts, 0) for _ in range(WEEKS)]
        for row in grouped:
            weeks[WEEKS - 1 - int(row["week"])] = {name: row[name] for name in counts}
        return weeks

    def rows(self, rows: QuerySet[Row]) -> QuerySet[Row]:
        """Return those of `rows` (of an OwnedModel) that the user may see, in the team and project if one is chosen."""
        return visible_rows(rows, self.user).filter(self.condition)

    def within(self, moment: str) -> Q:
        """Return `condition` and that the time in the field `moment` is in the period."""
        return self.condition & Q((f"{moment}__gte", self.since)) if self.days else self.condition

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
    address shows what the scope bar then says.
    """
    days = params.get("days", default)
    project, team = params.get("project", ""), params.get("team", "")
    if team and not visible_teams(user).filter(name=clean(team)).exists():
        team = ""
    of_team = {"team__name": clean(team)} if team else {}
    if project and not visible_projects(user).filter(key=clean(project), **of_team).exists():
        project = ""
    return PageScope(user, project, int((days if days in PERIODS else default) or 0), timezone.now(), team)


def bar_of(scope: PageScope, default: str = DEFAULT_PERIOD) -> ScopeBar:
    """Return what the scope bar of a page with the `default` period offers."""
    teams_of: dict[str, list[str]] = defaultdict(list)
    for key, team in visible_projects(scope.user).order_by("key", "team__name").values_list("key", "team__name"):
        teams_of[key] += [team] if team else []
    names = Counter(short_name(key) for key in teams_of)
    return ScopeBar(
        scope,
        list(visible_teams(scope.user).order_by("name").values_list("name", flat=True)),
        [
            ProjectChoice(key, short_name(key) if names[short_name(key)] == 1 else key, teams)
            for key, teams in teams_of.items()
        ],
        PERIODS if default else {ANY_TIME: "any time", **PERIODS},
    )


def query_of(params: QueryDict) -> str:
    """Return the scope in `params` as a query string that begins with "?", "" without one."""
    chosen = {name: value for name in NAMES if (value := params.get(name, ""))}
    return f"?{urlencode(chosen)}" if chosen else ""
