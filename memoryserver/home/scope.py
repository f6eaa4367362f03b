"""The scope bar of pages: a project and a period, kept in the query string."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, DurationField, ExpressionWrapper, F, Model, QuerySet, Value
from django.db.models.functions import Extract, Floor
from django.http import QueryDict
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects, visible_rows
from memoryserver.common.text import clean

Row = TypeVar("Row", bound=Model)

PERIODS: Mapping[str, str] = {"7": "7 days", "30": "30 days", "90": "90 days"}
DEFAULT_PERIOD = "7"
WEEKS = 12
_WEEK = 7 * 86_400.0  # seconds


@dataclass(frozen=True)
class PageScope:
    """What a page shows: rows that `user` may see, of `project` ("" for all), of the last `days` until `now`."""

    user: User | AnonymousUser
    project: str
    days: int
    now: datetime

    @property
    def since(self) -> datetime:
        """When the period begins."""
        return self.now - timedelta(days=self.days)

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
        """Return those of `rows` (of an OwnedModel) that the user may see, in the project if one is chosen."""
        visible = visible_rows(rows, self.user)
        return visible.filter(project__key=clean(self.project)) if self.project else visible


def scope_of(user: User | AnonymousUser, params: QueryDict) -> PageScope:
    """Return the scope in a query string; an unknown period counts as the default one."""
    days = params.get("days", DEFAULT_PERIOD)
    return PageScope(user, params.get("project", ""), int(days if days in PERIODS else DEFAULT_PERIOD), timezone.now())


def project_keys(user: User | AnonymousUser) -> Sequence[str]:
    """Return the keys of the projects that `user` may choose from."""
    return list(visible_projects(user).order_by("key").values_list("key", flat=True).distinct())
