from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.template import engines
from django.utils import timezone as django_timezone

from memoryserver.pages.filters import ago, clocks, cut_underscores, marked, moment, short_name, span, unbroken


def test_moment_is_in_utc_to_the_minute() -> None:
    value = datetime(2026, 3, 1, 1, 30, 59, tzinfo=timezone(timedelta(hours=2)))
    assert moment(value) == (
        '<time class="moment" datetime="2026-02-28T23:30:59+00:00" title="2026-02-28 23:30 UTC">'
        "2026-02-28 23:30 UTC</time>"
    )


def test_times_are_in_the_chosen_zone_with_utc_as_the_title() -> None:
    value = datetime(2026, 7, 1, 22, 30, 59, tzinfo=UTC)
    with django_timezone.override("Europe/Berlin"):
        shown = moment(value), *clocks([value])

    iso = "2026-07-01T22:30:59+00:00"
    assert shown == (
        f'<time class="moment" datetime="{iso}" title="2026-07-01 22:30 UTC">2026-07-02 00:30</time>',
        f'<time class="clock" datetime="{iso}" title="2026-07-01 22:30:59 UTC">00:30:59</time>',
    )


def test_ago_has_the_time_as_its_title() -> None:
    value = django_timezone.now() - timedelta(hours=3, minutes=10)
    text = f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    iso = value.astimezone(UTC).isoformat(timespec="seconds")
    assert ago(value) == f'<time datetime="{iso}" title="{text}">3\u00a0hours ago</time>'


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (timedelta(days=16, hours=5), "2\u00a0weeks ago"),
        (timedelta(days=1, hours=5), "1\u00a0day ago"),
        (-timedelta(days=2, hours=5, minutes=1), "2\u00a0days from now"),
    ],
)
def test_ago_names_the_largest_unit_alone(before: timedelta, text: str) -> None:
    assert f">{text}</time>" in ago(django_timezone.now() - before)


def test_percent_sign_stays_with_its_number() -> None:
    assert unbroken("2 of 10; the aim is over 50 %") == "2 of 10; the aim is over 50\u00a0%"


def test_no_time_is_no_text() -> None:
    assert (moment(None), ago(None), span(None)) == ("", "", "")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (3_900, "1 h 5 min"),
        (86_400, "1 d"),
        (90_000, "1 d 1 h"),
    ],
)
def test_span_has_the_two_largest_units(seconds: int, text: str) -> None:
    assert span(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(
    ("key", "name"), [("github.com/acme/shop", "shop"), ("shop", "shop"), ("acme/shop/", "shop"), ("", "")]
)
def test_short_name_is_the_last_part_of_a_key(key: str, name: str) -> None:
    assert short_name(key) == name


@pytest.mark.parametrize(
    ("text", "words", "html"),
    [
        ("Stop the Export", ["export"], "Stop the <mark>Export</mark>"),
        ("a<b> & exports", ["export"], "a&lt;b&gt; &amp; <mark>export</mark>s"),
        ("run `make test` now", [], "run <code>make test</code> now"),
        ("run `make test`", ["test"], "run <code>make <mark>test</mark></code>"),
        ("`one", ["."], "`one"),
    ],
)
def test_words_are_marked_and_code_is_set_as_code(text: str, words: list[str], html: str) -> None:
    assert marked(text, words) == html


def test_name_of_code_is_shown_with_blanks() -> None:
    assert cut_underscores("root_cause") == "root cause"


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ("names chosen", [("recent", "", "recent"), ("&amp;", " selected", "&amp;")]),
        ("texts chosen", [("recent", "", "last first"), ("&amp;", " selected", "A &amp; B")]),
        ('names "" "any"', [("", " selected", "any"), ("recent", "", "recent"), ("&amp;", "", "&amp;")]),
    ],
)
def test_select_marks_the_chosen_value(arguments: str, options: list[tuple[str, str, str]]) -> None:
    context = {"names": ["recent", "&"], "texts": {"recent": "last first", "&": "A & B"}, "chosen": "&"}

    html = engines["django"].from_string(f'{{% select "sort" "Order" {arguments} %}}').render(context)

    assert re.findall(r'<option value="([^"]*)"( selected)?>([^<]*)</option>', html) == options
    assert '<label class="hidden" for="sort">Order</label>' in html
    assert '<select id="sort" name="sort">' in html
