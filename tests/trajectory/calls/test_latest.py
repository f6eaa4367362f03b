"""Sessions are kept as they were committed, and as nobody changes them."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from memoryserver.accounts.models import User
from tests.support.rows.sent_calls import call
from trajectory.calls import latest
from trajectory.intake import receive
from trajectory.models import Trajectory

pytestmark = pytest.mark.django_db(transaction=True)


def version() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT xmin::text FROM trajectory_trajectory")
        return str(cursor.fetchone()[0])


def test_session_is_kept_with_its_version_and_its_latest_thirty_calls(alice: User) -> None:
    receive(alice, None, "s", "", [call(number) for number in range(1, 36)])
    kept = latest.of(alice, "s", "")

    assert kept is not None
    assert (kept.trajectory, kept.trajectory.calls_made, kept.trajectory.version) == (
        Trajectory.objects.get(),
        35,
        version(),
    )
    assert [each["tool_name"] for each in kept.calls] == ["Read"] * 30


def test_session_is_kept_for_its_user_and_agent_alone(alice: User, bob: User) -> None:
    receive(alice, None, "s", "a1", [call(1)])

    assert [latest.of(alice, "s", "") is None, latest.of(bob, "s", "a1") is None] == [True, True]
    assert latest.of(alice, "s", "a1") is not None


def test_session_of_a_transaction_that_is_rolled_back_stays_as_it_was(alice: User) -> None:
    receive(alice, None, "s", "", [call(1)])
    with transaction.atomic():
        receive(alice, None, "s", "", [call(2)])
        transaction.set_rollback(True)

    kept = latest.of(alice, "s", "")
    assert kept is not None
    assert (kept.trajectory.calls_made, kept.trajectory.version) == (1, version())


def test_what_is_kept_does_not_change_with_the_instance_that_was_given(alice: User) -> None:
    receive(alice, None, "s", "", [call(1)])
    kept = latest.of(alice, "s", "")
    assert kept is not None
    given = kept.trajectory
    latest.cache(given, kept.calls)
    given.title = "changed since"

    again = latest.of(alice, "s", "")
    assert again is not None
    assert again.trajectory.title == ""
