"""The latest calls are kept in the process, once they are committed, and the others are read."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts.models import User
from memoryserver.statements.cache import Cache
from tests.support.rows.sent_calls import call, same
from trajectory import windows
from trajectory.intake import receive
from trajectory.local.calls import record as records
from trajectory.local.calls.record import ToolCallRecord
from trajectory.models import Trajectory


def stored(trajectory: Trajectory) -> list[ToolCallRecord]:
    return [records.from_row(row.body) for row in trajectory.calls.order_by("call_index")]


@pytest.mark.django_db(transaction=True)
def test_kept_calls_are_the_stored_ones_and_not_read_again(alice: User) -> None:
    receive(alice, None, "s", "", [same(n) for n in range(1, 6)])
    trajectory = Trajectory.objects.get()

    with CaptureQueriesContext(connection) as sent:
        kept = list(windows.before(trajectory))

    assert kept == stored(trajectory)
    assert len(sent) == 0


@pytest.mark.django_db(transaction=True)
def test_calls_that_another_process_saw_meanwhile_are_read(alice: User) -> None:
    receive(alice, None, "s", "", [same(n) for n in range(1, 4)])
    trajectory = Trajectory.objects.get()
    mine = windows._cached.get(trajectory.pk)
    assert mine is not None
    receive(alice, None, "s", "", [call(n) for n in range(4, 9)])
    windows._cached.put(trajectory.pk, mine)
    trajectory.refresh_from_db()

    assert list(windows.before(trajectory)) == stored(trajectory)


@pytest.mark.django_db(transaction=True)
def test_calls_of_a_transaction_that_is_rolled_back_are_not_kept(alice: User) -> None:
    with transaction.atomic():
        receive(alice, None, "s", "", [same(1)])
        key = Trajectory.objects.get().pk
        transaction.set_rollback(True)

    assert windows._cached.get(key) is None


def test_only_the_last_of_many_calls_are_kept(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "WINDOW", 4)
    receive(alice, None, "s", "", [call(n) for n in range(1, 10)])
    trajectory = Trajectory.objects.get()

    assert [record.call_index for record in windows.before(trajectory)] == [6, 7, 8, 9]


@pytest.mark.django_db(transaction=True)
def test_least_recent_session_is_forgotten_first(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "_cached", Cache(size=2))
    for session in ("a", "b", "c"):
        receive(alice, None, session, "", [call(1)])

    keys = Trajectory.objects.order_by("session_id").values_list("pk", flat=True)
    assert [windows._cached.get(key) is not None for key in keys] == [False, True, True]


@pytest.mark.django_db(transaction=True)
def test_call_is_added_only_after_those_that_are_kept_before_it(alice: User) -> None:
    receive(alice, None, "s", "", [same(n) for n in range(1, 4)])
    trajectory = Trajectory.objects.get()
    calls = stored(trajectory)
    windows._cached.put(trajectory.pk, tuple(calls[:1]))

    windows.add(trajectory, calls[2])
    assert windows._cached.get(trajectory.pk) == (calls[0],)
    windows.add(trajectory, calls[1])
    windows.add(trajectory, calls[2])
    assert windows._cached.get(trajectory.pk) == tuple(calls)


@pytest.mark.django_db(transaction=True)
def test_call_of_a_session_that_is_not_kept_is_not_added(alice: User) -> None:
    receive(alice, None, "s", "", [same(1)])
    trajectory = Trajectory.objects.get()
    windows._cached.clear()
    windows.add(trajectory, stored(trajectory)[0])

    assert windows._cached.get(trajectory.pk) is None
