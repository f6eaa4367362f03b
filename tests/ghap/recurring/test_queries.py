"""Failures as a user sees them: lists, counts, trend, and what helped."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ghap.models import Entry, Failure, FailureMember
from ghap.recurring import queries, recount
from memoryserver.accounts.models import Project, User
from memoryserver.home.weeks import weeks_until
from tests.ghap.failures import clustered, ghap_id
from tests.support.rows.factories import ProjectFactory


def failing(user: User, project: Project | None, numbers: range, terms: tuple[str, ...] = ("zone",)) -> Failure:
    """A failure of these entries."""
    clustered(user, project, numbers, terms=terms)
    shared = project is not None and project.team_id is not None
    recount.recount(None if shared else user.pk, project.pk if project else None)
    return Failure.objects.get(terms=list(terms))


def test_failure_is_described_by_its_example_until_it_has_a_name(alice: User) -> None:
    row = failing(alice, None, range(3))

    (seen,) = queries.find(alice).failures

    entry = row.example
    assert entry is not None
    assert (seen.title, seen.name, seen.state, seen.size) == (entry.goal, "", "open", 3)
    assert seen.surprise == entry.entry.surprise
    assert seen.cause == (entry.entry.root_cause and entry.entry.root_cause.description)
    Failure.objects.update(name="Clocks")
    assert queries.described(queries.row_of(alice, row.pk)).title == "Clocks"


def test_team_sees_the_failure_of_its_project_and_no_stranger_does(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    row = failing(alice, shared_project, range(3))

    assert [len(queries.find(user).failures) for user in (alice, bob, charlie)] == [1, 1, 0]
    with pytest.raises(Http404):
        queries.row_of(charlie, row.pk)


def test_failure_with_an_entry_that_is_hidden_by_now_is_not_shown(
    alice: User, bob: User, shared_project: Project
) -> None:
    failing(alice, shared_project, range(3))
    Entry.objects.filter(ghap_id=ghap_id(1)).update(project=None)

    assert [len(queries.find(user).failures) for user in (alice, bob)] == [1, 0]


def test_states_and_projects_narrow_the_list_and_counts_leave_out_gone_ones(
    alice: User, shared_project: Project
) -> None:
    own = ProjectFactory(owner=alice, key="own")
    failing(alice, shared_project, range(3), ("shared",))
    private = failing(alice, own, range(10, 13), ("private",))
    gone = failing(alice, None, range(20, 23), ("gone",))
    Failure.objects.filter(pk=private.pk).update(state="known")
    Failure.objects.filter(pk=gone.pk).update(gone_at=timezone.now())

    def terms(**filters: object) -> list[str]:
        return sorted(seen.terms[0] for seen in queries.find(alice, **filters).failures)  # type: ignore[arg-type]

    assert (terms(), terms(states=["known"]), terms(project="own")) == (["private", "shared"], ["private"], ["private"])
    assert queries.counts(alice) == {"open": 1, "known": 1, "solved": 0, "regressed": 0}
    assert queries.counts(alice, project="own") == {"open": 0, "known": 1, "solved": 0, "regressed": 0}
    assert queries.described(queries.row_of(alice, gone.pk)).gone


def test_list_pages_to_its_end_in_both_orders(alice: User) -> None:
    for number in range(5):
        failing(alice, None, range(10 * number, 10 * number + 3 + number), (f"term{number}",))
    for number in range(5):
        moment = timezone.now() - timedelta(days=number)
        Failure.objects.filter(terms=[f"term{number}"]).update(last_seen=moment)

    shown: dict[str, list[int]] = {}
    for sort in queries.ORDERS:
        shown[sort], cursor = [], ""
        while True:
            page = queries.find(alice, sort=sort, limit=2, cursor=cursor)
            shown[sort] += [int(seen.terms[0].removeprefix("term")) for seen in page.failures]
            if page.next_cursor is None:
                break
            cursor = page.next_cursor

    assert shown == {"recent": [0, 1, 2, 3, 4], "frequent": [4, 3, 2, 1, 0]}


def test_trend_counts_the_entries_of_each_week(alice: User) -> None:
    row = failing(alice, None, range(5))
    monday = weeks_until(timezone.now()).starts[-1]
    for number, days in enumerate((0, 0, 1, 77, 78)):
        Entry.objects.filter(ghap_id=ghap_id(number)).update(captured_at=monday - timedelta(days=days))

    assert queries.weeks([row.pk]) == {row.pk: [1, *[0] * 9, 1, 2]}


def test_what_helped_are_the_different_lessons_the_latest_first(alice: User) -> None:
    row = failing(alice, None, range(4))
    for number, lesson in enumerate(["Use UTC.", "use utc.", "Store the zone.", ""]):
        entry = Entry.objects.get(ghap_id=ghap_id(number))
        entry.body["lesson"] = {"what_worked": "tests", "takeaway": lesson} if lesson else None
        entry.captured_at = timezone.now() - timedelta(days=number)
        entry.save()

    helped = [(entry.ghap_id, text) for entry, text in queries.what_helped(row)]

    assert helped == [(ghap_id(0), "Use UTC."), (ghap_id(2), "Store the zone.")]


def test_entries_of_a_failure_and_the_failures_of_an_entry(alice: User) -> None:
    row = failing(alice, None, range(3))
    entry = Entry.objects.get(ghap_id=ghap_id(1))

    page = queries.members(row, limit=2)
    rest = queries.members(row, limit=2, cursor=page.next_cursor or "")

    assert {entry.pk for entry in [*page.entries, *rest.entries]} == set(Entry.objects.values_list("pk", flat=True))
    assert [seen.key for seen in queries.with_entry(alice, entry)] == [row.pk]
    FailureMember.objects.filter(entry=entry).delete()
    assert queries.with_entry(alice, entry) == []


def test_number_of_queries_does_not_depend_on_the_number_of_failures(alice: User) -> None:
    counted = []
    for number in range(3):
        failing(alice, None, range(10 * number, 10 * number + 3), (f"term{number}",))
        with CaptureQueriesContext(connection) as captured:
            queries.weeks([seen.key for seen in queries.find(alice).failures])
        counted.append(len(captured))

    assert counted == [3, 3, 3]
