from __future__ import annotations

from memoryserver.accounts.models import User
from tests.support.sent_calls import call, same
from trajectory.intake import receive
from trajectory.models import Trajectory
from trajectory.strip import HEIGHT, MOST_BARS, WIDTH, strip_of


def test_each_call_is_a_bar_and_a_failed_one_is_taller(alice: User) -> None:
    receive(alice, None, "s-1", "", [call(1), same(2)])
    strip = strip_of(Trajectory.objects.get())
    assert [(bar.x, bar.y, bar.height, bar.first, bar.last, bar.failed) for bar in strip.bars] == [
        (0, 24, 22, 1, 1, 0),
        (500, 0, 46, 2, 2, 1),
    ]
    assert strip.failed == 1


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


def test_session_without_calls_has_an_empty_strip(alice: User) -> None:
    strip = strip_of(Trajectory.objects.create(user=alice, session_id="s-1"))
    assert (strip.bars, strip.marks, strip.failed) == ([], [], 0)
