"""What the models of trajectories add to their fields: constraints, order, texts and checks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from memoryserver.accounts.models import Project, User
from trajectory.models import AssessmentRecord, ObserverConfig, ToolCall, Trajectory, check_body


def tool_call(trajectory: Trajectory, index: int, call_id: str) -> ToolCall:
    return ToolCall.objects.create(
        user=trajectory.user,
        trajectory=trajectory,
        session_id=trajectory.session_id,
        call_id=call_id,
        call_index=index,
        tool_name="Bash",
        outcome="ok",
        made_at=timezone.now(),
        body={},
    )


def test_session_of_a_user_and_sub_agent_exists_once(alice: User, bob: User) -> None:
    for user, agent in ((alice, ""), (alice, "sub"), (bob, "")):
        Trajectory.objects.create(user=user, session_id="s", agent_id=agent)

    with pytest.raises(IntegrityError, match="trajectory_once"), transaction.atomic():
        Trajectory.objects.create(user=alice, session_id="s")


@pytest.mark.parametrize(
    ("index", "call_id", "constraint"), [(2, "c1", "toolcall_once"), (1, "c2", "toolcall_index_once")]
)
def test_call_is_unique_by_its_id_and_by_its_index(index: int, call_id: str, constraint: str, alice: User) -> None:
    trajectory = Trajectory.objects.create(user=alice, session_id="s")
    tool_call(trajectory, 1, "c1")

    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        tool_call(trajectory, index, call_id)


def test_calls_are_ordered_by_their_index(alice: User) -> None:
    trajectory = Trajectory.objects.create(user=alice, session_id="s")
    for index in (2, 3, 1):
        tool_call(trajectory, index, f"c{index}")

    assert [str(row) for row in trajectory.calls.all()] == ["#1 Bash", "#2 Bash", "#3 Bash"]


def test_rows_are_shown_by_what_names_them(alice: User, shared_project: Project) -> None:
    assert str(Trajectory(session_id="s")) == "s"
    assert str(Trajectory(session_id="s", agent_id="sub")) == "s (sub)"
    assert str(AssessmentRecord(observer="Cycle", severity="caution")) == "Cycle (caution)"
    team = alice.teams.get()
    assert str(ObserverConfig(user=alice, version=1)) == f"user {alice}, version 1"
    assert str(ObserverConfig(team=team, version=2)) == f"team {team}, version 2"
    assert str(ObserverConfig(project=shared_project, version=3)) == f"project {shared_project}, version 3"


def test_configuration_of_no_or_two_scopes_is_rejected(alice: User, shared_project: Project) -> None:
    scopes: list[dict[str, Any]] = [{}, {"user": alice, "project": shared_project}]
    for scope in scopes:
        with pytest.raises(IntegrityError, match="observerconfig_one_scope"), transaction.atomic():
            ObserverConfig.objects.create(version=1, **scope)
        with pytest.raises(ValidationError, match="one user, one team or one project"):
            ObserverConfig(version=1, body={"observers": {}}, **scope).full_clean()


def test_version_of_a_scope_exists_once(alice: User, bob: User) -> None:
    ObserverConfig.objects.create(user=alice, version=1)
    ObserverConfig.objects.create(user=bob, version=1)

    with pytest.raises(IntegrityError, match="observerconfig_version_once"), transaction.atomic():
        ObserverConfig.objects.create(user=alice, version=1)


def test_invalid_configuration_is_reported_at_its_field(alice: User) -> None:
    check_body({"observers": {"poll": {"enabled": False}}})

    with pytest.raises(ValidationError) as error:
        ObserverConfig(user=alice, version=1, body={"observers": {"no": {}}}).full_clean()
    assert list(error.value.message_dict) == ["body"]
    assert "no" in error.value.message_dict["body"][0]


def test_session_runs_until_its_end_is_recorded_or_it_was_silent_for_half_an_hour(alice: User) -> None:
    now = timezone.now()
    times: dict[str, dict[str, Any]] = {
        "without a call": {},
        "running": {"last_call_at": now - timedelta(minutes=29)},
        "silent": {"last_call_at": now - timedelta(minutes=31)},
        "ended": {"last_call_at": now - timedelta(minutes=5), "ended_at": now},
    }
    for name, fields in times.items():
        Trajectory.objects.create(user=alice, session_id=name, worst="warning", **fields)

    assert [row.session_id for row in Trajectory.objects.running()] == ["running"]
    assert [row.session_id for row in Trajectory.objects.silent()] == ["silent"]
    ends = {row.session_id: row.end for row in Trajectory.objects.all()}
    assert ends == {
        "without a call": None,
        "running": None,
        "silent": times["silent"]["last_call_at"],
        "ended": now,
    }
    assert {row.session_id for row in Trajectory.objects.all() if row.worst_open} == {"without a call", "running"}
