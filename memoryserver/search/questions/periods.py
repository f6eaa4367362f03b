"""Times in questions: "last spring", "in May", "two weeks ago".

A period is meant softly: it raises what is from it, and leaves nothing out, since a text may be about a time without
being from it, and people say "last week" of what is ten days ago.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryserver.search.engine import Ranked
from memoryserver.search.ordering import preference

WEIGHT = 0.5
"""How much more the score of a text from the period counts; chosen on half of the questions in bench/data/dated.txt."""

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # first months, of the northern half
_NUMBERS = {
    **dict.fromkeys(("a", "an", "one"), 1),
    "two": 2,
    "a couple of": 2,
    "three": 3,
    "a few": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}

_MONTH = "|".join(_MONTHS)
_YEAR = r"(?:19|20)\d\d"


@dataclass(frozen=True)
class Period:
    """A span of time, its end excluded, and the words that name it."""

    begin: datetime
    end: datetime
    words: str

    def has(self, moment: datetime) -> bool:
        """Return whether `moment` is in this period."""
        return self.begin <= moment < self.end

    def rest_of(self, query: str) -> str:
        """Return `query` without the words of this period, which few texts have; the whole if nothing else is left."""
        rest = " ".join(query.replace(self.words, " ", 1).split())
        return rest if any(map(str.isalnum, rest)) else query


def period_of(query: str, now: datetime) -> Period | None:
    """Return the period that `query` names, the latest such one that has begun by `now`; None if it names none.

    The names of months and seasons count only where a preposition, a year or the like says that they are a time.
    """
    for pattern, read in _FORMS:
        for match in pattern.finditer(query):
            try:
                begin, end = read(match, now)
            except (ValueError, OverflowError):  # 31 June, a time outside of the calendar, or no time at all
                continue
            if begin <= now:
                return Period(begin, end, match[0])
    return None


def raised(ranked: Sequence[Ranked], period: Period) -> list[Ranked]:
    """Return `ranked`, best first, in the order in which what is from `period` counts more."""
    return preference.raised(ranked, WEIGHT, lambda row: period.has(row.created_at))


_Span = tuple[datetime, datetime]


def _day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _month(now: datetime, year: int, month: int) -> _Span:
    """Return the span of a month; `month` may lie outside of 1 to 12."""
    begin = _day(now).replace(year=year + (month - 1) // 12, month=(month - 1) % 12 + 1, day=1)
    return begin, (begin + timedelta(days=32)).replace(day=1)


def _iso(match: re.Match[str], now: datetime) -> _Span:
    begin = _day(now).replace(year=int(match[1]), month=int(match[2]), day=int(match[3]))
    return begin, begin + timedelta(days=1)


def _date(match: re.Match[str], now: datetime) -> _Span:
    """Of `12 March 2026`, `March 12th`: without a year the latest that has come."""
    month = _MONTHS.index((match["month"] or match["month_first"]).lower()) + 1
    day = int(match["day"] or match["day_last"])
    year = int(match["year"] or now.year)
    begin = _day(now).replace(year=year, month=month, day=day)
    if match["year"] is None and begin > now:
        begin = begin.replace(year=year - 1)
    return begin, begin + timedelta(days=1)


def _check_is_time(match: re.Match[str]) -> None:
    """Raise ValueError unless something before or after the name says that it is a time: "May we", "Spring Boot"."""
    said = match["part"] or match["which"] or match["year"] or match["the"]
    if not said and (match["in"] is None or (match["name"] in ("Spring", "Fall"))):
        raise ValueError("no time")


def _named_month(match: re.Match[str], now: datetime) -> _Span:
    _check_is_time(match)
    month = _MONTHS.index(match["name"].lower()) + 1
    year = int(match["year"] or now.year)
    begin, end = _month(now, year, month)
    over = match["which"] is not None and match["which"].lower() == "last"
    if match["year"] is None and (end > now if over else begin > now):
        begin, end = _month(now, year - 1, month)
    return _part(match["part"], begin, end)


def _part(part: str | None, begin: datetime, end: datetime) -> _Span:
    third = (end - begin) / 3
    if part is None:
        return begin, end
    part = part.lower()
    if part in ("end", "late"):
        return end - third, end
    return (begin + third, end - third) if part in ("middle", "mid") else (begin, begin + third)


def _season(match: re.Match[str], now: datetime) -> _Span:
    _check_is_time(match)
    first = _SEASONS[match["name"].lower()]
    year = int(match["year"] or now.year)
    begin, end = _month(now, year, first)[0], _month(now, year, first + 2)[1]
    over = match["which"] is not None and match["which"].lower() == "last"
    while match["year"] is None and (end > now if over else begin > now):
        year -= 1
        begin, end = _month(now, year, first)[0], _month(now, year, first + 2)[1]
    return _part(match["part"], begin, end)


def _ago(match: re.Match[str], now: datetime) -> _Span:
    """Of `two weeks ago`: the longer ago, the less exactly it is meant."""
    number = match["number"].lower()
    count = int(number) if number.isdigit() else _NUMBERS[number]
    unit = _DAYS[match["unit"].lower()]
    middle = _day(now) - timedelta(days=count * unit)
    margin = timedelta(days={1: 0, 7: 3, 30: 15, 365: 60}[unit])
    if unit == 1 and count > 3:
        margin = timedelta(days=1)
    return middle - margin, middle + margin + timedelta(days=1)


def _relative(match: re.Match[str], now: datetime) -> _Span:
    """Of `last week`, `this month`, `the end of last year`."""
    last = match["which"].lower() != "this"
    unit = match["unit"].lower()
    if unit == "week":
        begin = _day(now) - timedelta(days=now.weekday() + 7 * last)
        end = begin + timedelta(days=7)
    elif unit == "weekend":
        begin = _day(now) - timedelta(days=now.weekday() + 2 if last or now.weekday() < 5 else now.weekday() - 5)
        end = begin + timedelta(days=2)
    elif unit == "month":
        begin, end = _month(now, now.year, now.month - last)
    elif unit == "quarter":
        first = (now.month - 1) // 3 * 3 + 1 - 3 * last
        begin, end = _month(now, now.year, first)[0], _month(now, now.year, first + 2)[1]
    else:
        begin, end = _month(now, now.year - last, 1)[0], _month(now, now.year - last, 12)[1]
    return _part(match["part"], begin, end)


def _weekday(match: re.Match[str], now: datetime) -> _Span:
    """Of `on Tuesday`, `last Friday`: the latest before today, or today where nothing says `last`."""
    days = (now.weekday() - _WEEKDAYS.index(match["weekday"].lower())) % 7
    if days == 0 and match["which"].lower() == "last":
        days = 7
    begin = _day(now) - timedelta(days=days)
    return begin, begin + timedelta(days=1)


def _near(match: re.Match[str], now: datetime) -> _Span:
    days = {"today": 0, "this morning": 0, "tonight": 0, "yesterday": 1, "last night": 1}
    days["the day before yesterday"] = 2
    begin = _day(now) - timedelta(days=days[match[0].lower()])
    return begin, begin + timedelta(days=1)


def _year(match: re.Match[str], now: datetime) -> _Span:
    year = int(match["year"])
    return _month(now, year, 1)[0], _month(now, year, 12)[1]


_IN = r"(?:\b(?P<in>in|during|from|of|for) (?P<the>the )?)?"
_PART = r"(?:\b(?P<part>beginning|start|middle|end|early|mid|late)\b[ -](?:of )?(?:the )?)?"
_WHICH = r"(?:\b(?P<which>last|this|past|previous) )?"
_IN_YEAR = rf"(?:,? (?:of )?(?P<year>{_YEAR})\b)?"
_DAY_FIRST = rf"\b(?:the )?(?P<day>\d\d?)(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b"
_MONTH_FIRST = rf"\b(?P<month_first>{_MONTH}) (?:the )?(?P<day_last>\d\d?)(?:st|nd|rd|th)?\b"
_COUNTS = "|".join(sorted(_NUMBERS, key=len, reverse=True))

_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], _Span]], ...] = tuple(
    (re.compile(form, re.IGNORECASE), read)
    for form, read in (
        (r"\b(\d{4})-(\d\d)-(\d\d)\b", _iso),
        (rf"(?:\bon )?(?:{_DAY_FIRST}|{_MONTH_FIRST}){_IN_YEAR}", _date),
        (rf"\b(?P<number>\d{{1,3}}|{_COUNTS}) (?P<unit>day|week|month|year)s? ago\b", _ago),
        (r"\b(?:the day before yesterday|yesterday|today|this morning|tonight|last night)\b", _near),
        (rf"\b(?P<which>on|last|this) (?P<weekday>{'|'.join(_WEEKDAYS)})\b", _weekday),
        (rf"{_PART}\b(?P<which>last|this|previous) (?P<unit>week|weekend|month|quarter|year)\b(?!-)(?:'s)?", _relative),
        (rf"{_IN}{_PART}{_WHICH}\b(?P<name>{_MONTH})\b{_IN_YEAR}", _named_month),
        (rf"{_IN}{_PART}{_WHICH}\b(?P<name>{'|'.join(_SEASONS)})\b{_IN_YEAR}", _season),
        (rf"\b(?:in|during) (?P<year>{_YEAR})\b", _year),
    )
)
