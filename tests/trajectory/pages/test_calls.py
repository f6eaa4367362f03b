"""The list of a session's calls: order, filters, pages, and folded repeats."""

from __future__ import annotations

from typing import Any

import pytest

from memoryserver.accounts.models import User
from tests.support.rows.sent_calls import call, same
from trajectory.intake import receive
from trajectory.models import Trajectory
from trajectory.pages import calls
from trajectory.pages.calls import Run, View, view_of


def session(user: User, *sent: dict[str, Any]) -> Trajectory:
    receive(user, None, "s-1", "", list(sent))
    return Trajectory.objects.get()


def numbers(runs: Any) -> list[list[int]]:
    return [[int(shown["number"]) for shown in run.calls] for run in runs]


@pytest.mark.parametrize(
    ("params", "running", "view"),
    [
        ({}, True, View("", "newest", 0)),
        ({}, False, View("", "oldest", 0)),
        ({"show": "failed", "order": "oldest", "at": "7"}, True, View("failed", "oldest", 7)),
        ({"show": "x", "order": "x", "at": "-1"}, False, View("", "oldest", 0)),
        ({"at": "9" * 50}, False, View("", "oldest", 0)),
        ({"at": "\u0663"}, False, View("", "oldest", 0)),
    ],
)
def test_what_the_address_does_not_say_or_says_wrongly_is_as_by_default(
    params: dict[str, str], running: bool, view: View
) -> None:
    assert view_of(params, running=running) == view


def test_equal_calls_in_a_row_are_one_run_from_three_on(alice: User) -> None:
    row = session(alice, call(1), same(2), same(3), call(4), *[same(n) for n in (5, 6, 7)])
    row.findings.all().delete()

    page = calls.page_of(row, View("", "oldest", 0))

    assert numbers(page.runs) == [[1, 2, 3, 4], [5, 6, 7]]
    assert [run.folded for run in page.runs] == [False, True]
    assert page.runs[-1].numbers == (5, 7)


def test_call_with_a_finding_is_not_folded(alice: User) -> None:
    row = session(alice, *[same(n) for n in range(1, 8)])
    finding = row.findings.get(observer="Repeated Call")

    runs: list[Run] = list(calls.page_of(row, View("", "oldest", 0)).runs)

    alone = [shown for run in runs if not run.folded for shown in run.calls]
    assert str(finding.began_at_call) in {shown["number"] for shown in alone}
    assert finding.observer in [each.observer for shown in alone for each in shown["findings"]]


def test_call_says_what_a_finding_said_there_and_each_time_that_the_agent_was_told(alice: User) -> None:
    for number in range(1, 8):
        row = session(alice, same(number))

    page = calls.page_of(row, View("findings", "oldest", 0))
    shown = {
        int(line["number"]): [
            (each.what, each.latest.summary[:36]) for each in line["findings"] if each.observer == "Repeated Call"
        ]
        for run in page.runs
        for line in run.calls
    }

    assert {number: said for number, said in shown.items() if said} == {
        3: [("noticed here, and the agent was told", "The same `Bash` call failed 3 times ")],
        6: [("the agent was told", "The same `Bash` call failed 6 times ")],
    }


@pytest.mark.parametrize(("order", "first", "last"), [("oldest", 30, 129), ("newest", 70, 1)])
def test_address_of_a_call_shows_it_with_its_neighbours(alice: User, order: str, first: int, last: int) -> None:
    row = session(alice, *[call(n) for n in range(300)])

    listed = [number for run in numbers(calls.page_of(row, View("", order, 50)).runs) for number in run]

    assert (listed[0], listed[-1], 50 in listed) == (first, last, True)


def test_filters_leave_their_calls_alone(alice: User) -> None:
    edit = {"file_path": "a.py", "old_string": "a", "new_string": "b"}
    row = session(alice, call(1), call(2, tool_name="Edit", tool_input=edit), *[same(n) for n in (3, 4, 5)])

    def shown(name: str) -> list[int]:
        return [number for run in numbers(calls.page_of(row, View(name, "oldest", 0)).runs) for number in run]

    assert (shown("failed"), shown("edits"), shown("commands")) == ([3, 4, 5], [2], [3, 4, 5])
    assert shown("findings") == sorted(set(row.findings.values_list("began_at_call", flat=True)))


def test_news_are_the_calls_after_the_one_that_was_seen_the_newest_first(alice: User) -> None:
    row = session(alice, *[call(n) for n in range(5)])

    assert numbers(calls.after(row, View("", "newest", 0), 3)) == [[5, 4]]
    assert calls.after(row, View("failed", "newest", 0), 3) == []
