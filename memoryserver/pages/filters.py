"""Template filters and tags of all pages: times, durations, short names, and the selects of their forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.utils import timezone
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince, timeuntil

from memoryserver.accounts.mailing import are_mails_sent

register = template.Library()

_UUID = re.compile(r"\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")


@register.simple_tag
def mails_are_sent() -> bool:
    """Return whether mails leave this server."""
    return are_mails_sent()


@register.simple_tag
def select(
    name: str, label: str, choices: Mapping[str, str] | Iterable[str], chosen: str, everything: str = ""
) -> SafeString:
    """Return a select with its label, which is for screen readers alone.

    `choices` are values, or maps them to their texts; `everything` is the text of the empty value, if there is one.
    """
    texts = choices if isinstance(choices, Mapping) else {value: value for value in choices}
    if everything:
        texts = {"": everything, **texts}
    options = format_html_join(
        "",
        '<option value="{}"{}>{}</option>',
        ((value, " selected" if value == chosen else "", text) for value, text in texts.items()),
    )
    return format_html(
        '<label class="hidden" for="{0}">{1}</label><select id="{0}" name="{0}">{2}</select>', name, label, options
    )


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    """Return `value` to the minute, "" for None: in the reader's chosen zone, or by scripts; UTC is the title."""
    return "" if value is None else moments([value])[0]


def moments(values: Iterable[datetime]) -> list[SafeString]:
    """Return each of `values` as `moment` does, for lists; the zone is looked up once."""
    zone = timezone.get_current_timezone()
    in_utc = _is_utc(zone)
    times = []
    for value in values:
        utc = _utc(value)
        title = f"{utc[:10]} {utc[11:16]} UTC"
        text = title if in_utc else value.astimezone(zone).isoformat(" ", "minutes")[:16]
        times.append(_time(utc, "moment", title, text))
    return times


def clocks(values: Iterable[datetime]) -> list[SafeString]:
    """Return the times of day of `values` to the second, in the zone that `moment` has; UTC is the title.

    A list has a hundred of them, for which the zone is looked up once.
    """
    zone = timezone.get_current_timezone()
    in_utc = _is_utc(zone)
    times = []
    for value in values:
        utc = _utc(value)
        text = utc[11:19] if in_utc else value.astimezone(zone).isoformat(" ", "seconds")[11:19]
        times.append(_time(utc, "clock", f"{utc[:10]} {utc[11:19]} UTC", text))
    return times


@register.filter
def ago(value: datetime | None) -> SafeString | str:
    """Return how long ago `value` was, in its largest unit, "" for None; the title has the time in UTC."""
    if value is None:
        return ""
    age = timezone.now() - value
    if abs(age) < timedelta(days=1):
        words = str(naturaltime(value))
    else:
        words = f"{timesince(value, depth=1)} ago" if age > timedelta() else f"{timeuntil(value, depth=1)} from now"
    utc = _utc(value)
    return _time(utc, "", f"{utc[:10]} {utc[11:16]} UTC", words)


@register.filter
def span(value: timedelta | None) -> str:
    """Return a duration in its two largest units, such as "1 h 5 min"; "" for None."""
    if value is None:
        return ""
    seconds = max(round(value.total_seconds()), 0)
    if seconds < 60:
        return f"{seconds} s"
    minutes, hours, days = seconds // 60, seconds // 3_600, seconds // 86_400
    if hours < 1:
        return f"{minutes} min"
    if days < 1:
        return f"{hours} h {minutes % 60} min" if minutes % 60 else f"{hours} h"
    return f"{days} d {hours % 24} h" if hours % 24 else f"{days} d"


@register.filter
def short_name(key: object) -> str:
    """Return the last part of a project's key: `shop` for `github.com/acme/shop`."""
    return str(key).rstrip("/").rpartition("/")[2]


@register.filter
def short_ids(text: object) -> str:
    """Return `text` with the first eight digits of each UUID: `codex-9b8669e7…` for the id of a transcript."""
    return _UUID.sub(r"\1…", str(text))


@register.filter
def marked(text: object, words: Sequence[str]) -> SafeString:
    """Return `text` with each of `words` marked, whatever their case, and what is between backticks as code."""
    pattern = "|".join(rf"\b{re.escape(word)}" for word in sorted(words, key=len, reverse=True) if word)

    def escaped(part: str) -> SafeString:
        if not pattern:
            return conditional_escape(part)
        pieces = re.split(f"({pattern})", part, flags=re.IGNORECASE)
        return format_html_join("", "{}", ((_mark(piece, odd=number % 2 == 1),) for number, piece in enumerate(pieces)))

    parts = re.split(r"`([^`\n]{1,200})`", str(text))
    codes = [format_html("<code>{}</code>", escaped(part)) if n % 2 else escaped(part) for n, part in enumerate(parts)]
    return format_html_join("", "{}", ((part,) for part in codes))


@register.filter
def unbroken(text: object) -> str:
    """Return `text` with each percent sign kept on the line of its number."""
    return str(text).replace(" %", "\N{NO-BREAK SPACE}%")


@register.filter
def cut_underscores(name: object) -> str:
    """Return a name of code with blanks instead of underscores."""
    return str(name).replace("_", " ")


@cache
def _is_utc(zone: tzinfo) -> bool:
    return (zone.tzname(None) or str(zone)) == "UTC"


def _utc(value: datetime) -> str:
    return (value if value.tzinfo is UTC else value.astimezone(UTC)).isoformat(timespec="seconds")


def _mark(piece: str, *, odd: bool) -> SafeString:
    return format_html("<mark>{}</mark>", piece) if odd else conditional_escape(piece)


def _time(utc: str, kind: str, title: str, text: str) -> SafeString:
    """Return the element of a time. Lists have hundreds, of which formatting each safely would be half the time."""
    attribute = f'class="{kind}" ' if kind else ""
    return mark_safe(f'<time {attribute}datetime="{utc}" title="{title}">{text}</time>')  # noqa: S308 - digits and units
