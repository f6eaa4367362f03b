"""Queries of sessions: owners and team mates see them, strangers and visitors do not."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from memoryserver.accounts.models import Project, User
from tests.support.rows.sent_calls import call
from tests.trajectory.sending import send
from trajectory import sessions
from trajectory.models import Trajectory


def test_session_without_a_project_is_visible_to_its_owner_alone(alice: User, bob: User) -> None:
    send(alice, call(1))

    assert [row.session_id for row in sessions.visible(alice)] == ["s"]
    assert not sessions.visible(bob)
    assert not sessions.visible(AnonymousUser())


def test_session_of_a_shared_project_is_visible_to_its_members(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    send(alice, call(1), project=shared_project)

    assert [sessions.visible(user).count() for user in (alice, bob, charlie)] == [1, 1, 0]


def test_sessions_are_listed_with_the_latest_call_first(alice: User) -> None:
    for session, number in (("early", 1), ("late", 3), ("middle", 2)):
        send(alice, call(number), session=session)

    assert [row.session_id for row in sessions.visible(alice)] == ["late", "middle", "early"]


def test_sessions_are_limited_to_the_key_of_a_project(alice: User, shared_project: Project) -> None:
    send(alice, call(1), session="elsewhere")
    send(alice, call(1), session="here", project=shared_project)

    assert [row.session_id for row in sessions.visible(alice, project=shared_project.key)] == ["here"]
    assert not sessions.visible(alice, project="no-such-project")


def test_own_session_is_found_before_that_of_a_team_mate(alice: User, bob: User, shared_project: Project) -> None:
    send(bob, call(1), project=shared_project)
    send(alice, call(2), project=shared_project)
    send(bob, call(3), project=shared_project)

    for user in (alice, bob):
        row = sessions.find(user, "s")
        assert row is not None
        assert row.user == user


def test_session_of_a_team_mate_is_found_but_not_of_a_stranger(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    send(alice, call(1), project=shared_project)

    assert sessions.find(bob, "s") == Trajectory.objects.get()
    assert sessions.find(charlie, "s") is None


def test_sub_agent_of_a_session_is_found_by_its_own_id(alice: User) -> None:
    send(alice, call(1))
    send(alice, call(1), agent="sub")

    row = sessions.find(alice, "s", "sub")
    assert row is not None
    assert row.agent_id == "sub"
    assert sessions.find(alice, "s", "other") is None
