from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from memoryserver.accounts.models import Project, User
from memoryserver.hooks.models import HookSession


def test_session_of_a_user_has_one_row_and_each_sub_agent_its_own(alice: User, bob: User) -> None:
    for user, agent_id in [(alice, ""), (alice, "a1"), (alice, "a2"), (bob, "")]:
        HookSession.objects.create(user=user, session_id="s1", agent_id=agent_id)

    with pytest.raises(IntegrityError, match="hook_session_once"), transaction.atomic():
        HookSession.objects.create(user=alice, session_id="s1", agent_id="a1")

    assert HookSession.objects.count() == 4


def test_session_with_the_latest_event_comes_first(alice: User) -> None:
    rows = [HookSession.objects.create(user=alice, session_id=name) for name in ("s1", "s2")]
    rows[0].save()

    assert [str(row) for row in HookSession.objects.all()] == ["s1", "s2"]


def test_memory_of_a_new_session_is_empty_and_its_own(alice: User) -> None:
    first, second = HookSession(user=alice, session_id="s1"), HookSession(user=alice, session_id="s2")
    first.memory["told"] = True

    assert second.memory == {}


def test_sub_agent_is_shown_with_its_session(alice: User) -> None:
    assert str(HookSession(user=alice, session_id="s1", agent_id="a1")) == "s1 (a1)"


def test_session_outlives_its_project_and_not_its_user(alice: User, shared_project: Project) -> None:
    row = HookSession.objects.create(user=alice, project=shared_project, session_id="s1")

    shared_project.delete()
    row.refresh_from_db()
    assert row.project is None

    alice.delete()
    assert HookSession.objects.count() == 0
