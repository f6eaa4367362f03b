from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memoryserver.accounts.models import User
from memoryserver.agent_sessions import Item
from tests.support.rows.sent_calls import call, same
from trajectory.intake import receive
from trajectory.models import Trajectory
from trajectory.strip import HEIGHT, MINI_BARS, MOST_BARS, WIDTH, Bar, TimeScale, mini_strips, outline, strip_of

START = datetime(2026, 11, 20, 9, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def session(user: User, *seconds: float, **fields: Any) -> Trajectory:
    """A session with a call at each of these seconds."""
    calls = [call(n, timestamp=after(each).isoformat(), **fields) for n, each in enumerate(seconds)]
    receive(user, None, "s-1", "", calls)
    return Trajectory.objects.get()


def test_calls_lie_where_they_were_made_and_pauses_are_shortened() -> None:
    scale = TimeScale([after(0), after(9), after(60), after(60), after(4060)])

    assert scale.places == pytest.approx([1000 * seconds / 182 for seconds in (0, 9, 60, 61, 181)])
    assert [scale.of(after(seconds)) for seconds in (-5, 0, 3, 2060, 4060, 5000)] == pytest.approx(
        [0, 0, 1000 * 3 / 182, 1000 * 121 / 182, 1000 * 181 / 182, WIDTH]
    )


def test_scale_without_calls_places_all_at_its_beginning() -> None:
    assert (TimeScale([]).places, TimeScale([]).of(START)) == ([0.0], 0.0)


def test_each_call_is_a_bar_and_a_failed_one_is_taller(alice: User) -> None:
    receive(alice, None, "s-1", "", [call(1), same(2)])
    strip = strip_of(Trajectory.objects.get())
    assert [(bar.y, bar.height, bar.first, bar.last, bar.failed) for bar in strip.bars] == [
        (24, 22, 1, 1, 0),
        (0, 46, 2, 2, 1),
    ]
    assert (strip.failed, strip.height) == (1, 70)


def test_many_calls_share_bars(alice: User) -> None:
    receive(alice, None, "s-1", "", [call(n) if n % 3 else same(n) for n in range(2 * MOST_BARS + 1)])
    strip = strip_of(Trajectory.objects.get())
    assert (len(strip.bars), strip.bars[0].first, strip.bars[-1].last) == (134, 1, 401)
    assert {bar.failed for bar in strip.bars[:-1]} == {1}
    assert all(0 <= bar.x <= WIDTH and 0 <= bar.y <= HEIGHT for bar in strip.bars)


def test_findings_are_marked_where_they_began_and_were_told(alice: User) -> None:
    receive(alice, None, "s-1", "", [call(0), *[same(n) for n in range(1, 4)]])
    strip = strip_of(Trajectory.objects.get())
    assert {(mark.what, mark.call) for mark in strip.marks} == {("noticed", 4), ("told", 4)}


def test_each_time_that_the_agent_was_told_is_marked_with_what_it_was_told(alice: User) -> None:
    for number in range(1, 7):
        receive(alice, None, "s-1", "", [same(number)])
    marks = strip_of(Trajectory.objects.get()).marks
    told = [(mark.call, mark.summary.split(" times")[0]) for mark in marks if mark.what == "told"]
    assert told == [(3, "The same `Bash` call failed 3"), (6, "The same `Bash` call failed 6")]


def test_compactions_and_long_pauses_are_marked_at_the_call_after_them(alice: User) -> None:
    row = session(alice, 0, 10, 1000, 1010)
    row.calls.filter(call_index__gte=2).update(body={"compactions": 1})

    marks = [(mark.what, mark.call, mark.summary) for mark in strip_of(row).marks]

    assert marks == [
        ("compacted", 2, "the agent's context was compacted"),
        ("pause", 3, "16 minutes without a call"),
    ]


def test_entries_are_bands_and_learnings_dots_on_the_same_scale(alice: User) -> None:
    row = session(alice, 0, 50, 99)
    items = [
        Item("entry", "Fix it", "confirmed", "/entries/1/", after(-9), after(50)),
        Item("learning", "Use UTC", "gotcha", "/learnings/2/", after(50)),
    ]

    strip = strip_of(row, items)

    assert [(place.x, place.width, place.item.title) for place in strip.entries] == [(0, 500, "Fix it")]
    assert [(place.x, place.item.title) for place in strip.learnings] == [(500, "Use UTC")]
    assert strip.height == 100


@pytest.mark.parametrize(
    ("bar", "name", "title", "failed"),
    [
        (Bar(0, 24, 8.5, 22, 7, 7, 0), "call 7", "#7", ""),
        (Bar(0, 24, 8.5, 22, 7, 7, 1), "call 7, 1 failed", "#7 failed", 'class="failed" '),
        (Bar(0, 24, 8.5, 22, 7, 9, 0), "calls 7 to 9", "#7 to #9, 0 failed", ""),
        (Bar(0, 24, 8.5, 22, 7, 9, 2), "calls 7 to 9, 2 failed", "#7 to #9, 2 failed", 'class="failed" '),
    ],
)
def test_bar_is_a_link_that_says_which_calls_it_stands_for(bar: Bar, name: str, title: str, failed: str) -> None:
    assert bar.drawn() == (
        f'<a href="?at={bar.last}#c{bar.last}" aria-label="{name}">'
        f'<rect {failed}x="0.0" y="24.0" width="8.5" height="22.0"><title>{title}</title></rect></a>'
    )


def test_session_without_calls_has_an_empty_strip(alice: User) -> None:
    strip = strip_of(Trajectory.objects.create(user=alice, session_id="s-1"))
    assert (strip.bars, strip.marks, strip.failed) == ([], [], 0)


def test_outline_of_bars_is_one_path_of_rectangles(alice: User) -> None:
    receive(alice, None, "s-1", "", [call(0), same(1)])
    row = Trajectory.objects.get()

    assert outline(mini_strips([row])[row.pk]) == "M0 24.0h35v22.0h-35zM500 0.0h35v46.0h-35z"
    assert outline([]) == ""


def test_small_strips_of_a_list_take_one_query(alice: User, django_assert_num_queries: Any) -> None:
    receive(alice, None, "s-1", "", [call(0), same(1)])
    receive(alice, None, "s-2", "", [call(n) for n in range(2 * MINI_BARS)])
    rows = [*Trajectory.objects.order_by("session_id"), Trajectory.objects.create(user=alice, session_id="s-3")]

    with django_assert_num_queries(1):
        strips = mini_strips(rows)

    assert [(bar.x, bar.height, bar.failed) for bar in strips[rows[0].pk]] == [(0, 22, 0), (500, 46, 1)]
    assert [len(strips[row.pk]) for row in rows] == [2, MINI_BARS, 0]
