"""Calendar days and weeks in the reader's time zone; a week begins on Monday."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeVar

from django.db.models import Count, Model, QuerySet
from django.db.models.functions import TruncDay, TruncWeek
from django.utils import timezone

Row = TypeVar("Row", bound=Model)
Unit = Literal["day", "week"]

WEEKS = 12
_LENGTHS = {"day": timedelta(days=1), "week": timedelta(weeks=1)}
_TRUNCATED = {"day": TruncDay, "week": TruncWeek}


@dataclass(frozen=True)
class Units:
    """Days or weeks one after the other, by their first moments, in the time zone of these."""

    unit: Unit
    starts: Sequence[datetime]

    @property
    def end(self) -> datetime:
        """When the last one ends."""
        return self.starts[-1] + _LENGTHS[self.unit]

    def place_of(self, moment: datetime) -> int:
        """Return the number of the one that `moment` is in, from 0; negative if it was before all of them."""
        days = (moment.astimezone(self.starts[0].tzinfo).date() - self.starts[0].date()).days
        return days // _LENGTHS[self.unit].days

    def count(self, rows: QuerySet[Row], moment: str, **counts: Count) -> Sequence[Mapping[str, int]]:
        """Return `counts` of `rows` in each of them, by the time in the field `moment`; one query."""
        among = rows.filter(**{f"{moment}__gte": self.starts[0], f"{moment}__lt": self.end}).order_by()
        start = _TRUNCATED[self.unit](moment, tzinfo=self.starts[0].tzinfo)
        counted: list[Mapping[str, int]] = [dict.fromkeys(counts, 0) for _ in self.starts]
        for row in among.annotate(unit=start).values("unit").annotate(**counts):
            counted[self.place_of(row["unit"])] = {name: row[name] for name in counts}
        return counted


def monday_of(moment: datetime) -> datetime:
    """Return the beginning of the week of `moment`."""
    day = _midnight(moment)
    return day - timedelta(days=day.weekday())


def weeks_until(end: datetime, number: int = WEEKS) -> Units:
    """Return the `number` weeks of which the last one is that of the moment before `end`."""
    last = monday_of(end - timedelta(microseconds=1))
    return Units("week", [last - timedelta(weeks=back) for back in range(number - 1, -1, -1)])


def units_between(since: datetime, end: datetime) -> Units:
    """Return the days, or for more than ten days the weeks, from that of `since` to that of the moment before `end`."""
    last = _midnight(end - timedelta(microseconds=1))
    if end - since > timedelta(days=10):
        weeks = (monday_of(last).date() - monday_of(since).date()).days // 7
        return weeks_until(end, weeks + 1)
    days = (last.date() - _midnight(since).date()).days
    return Units("day", [last - timedelta(days=back) for back in range(days, -1, -1)])


def _midnight(moment: datetime) -> datetime:
    return timezone.localtime(moment).replace(hour=0, minute=0, second=0, microsecond=0)
