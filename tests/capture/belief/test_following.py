"""Learnings whose command was run after they were given."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from capture.belief import usage
from capture.belief.following import note_commands
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from memoryserver.hooks.commands import CommandRun
from tests.support.rows.sent_calls import call
from tests.trajectory.sending import send

CONTENT = "Run the tests with `uv run pytest -m quick`"


def learn(user: User, project: Project, content: str = CONTENT, *, given: bool = True) -> Learning:
    seen = timezone.now() - timedelta(days=1)
    fields = {"type": "command", "confidence": 0.9, "first_seen": seen, "last_seen": seen}
    row = Learning.objects.create(user=user, project=project, content=content, **fields)
    if given:
        usage.count("shown", [row.pk])
    return row


def run(user: User, project: Project | None, text: str, *, hours: float = 0) -> CommandRun:
    return CommandRun(user, project, text, timezone.now() - timedelta(hours=hours))


@pytest.mark.parametrize(
    ("text", "followed"),
    [
        ("uv run pytest -m quick", 1),
        ("cd api && uv run pytest -m quick tests/api", 1),
        ("uv run pytest -m quickest", 0),
        ("uv run pytest", 0),
        ("./uv run pytest -m quick", 0),
    ],
    ids=["same", "as a part", "other word", "shorter", "other program"],
)
def test_learning_is_followed_when_the_command_that_it_names_runs(
    text: str, followed: int, alice: User, shared_project: Project
) -> None:
    row = learn(alice, shared_project)
    note_commands([run(alice, shared_project, text)])

    assert usage.uses(row)["followed"] == followed


def test_runs_of_one_day_count_once_and_those_of_a_team_mate_count_too(
    alice: User, bob: User, shared_project: Project
) -> None:
    row = learn(alice, shared_project)
    runs = [run(user, shared_project, "uv run pytest -m quick") for user in (alice, bob, alice)]
    note_commands(runs)
    note_commands(runs)

    assert usage.uses(row)["followed"] == 1


def test_run_counts_only_after_the_learning_was_met_and_given_in_its_project(
    alice: User, charlie: User, shared_project: Project
) -> None:
    never_given = learn(alice, shared_project, given=False)
    program_alone = learn(alice, shared_project, "Use `pytest` for tests")
    row = learn(alice, shared_project, f"{CONTENT}!")
    command = "uv run pytest -m quick"
    note_commands([run(alice, shared_project, command, hours=48), run(alice, None, command)])
    note_commands([run(charlie, shared_project, command)])
    assert usage.uses(row)["followed"] == 0

    note_commands([run(alice, shared_project, command)])
    assert [usage.uses(each)["followed"] for each in (never_given, program_alone, row)] == [0, 0, 1]


@pytest.mark.parametrize(
    ("fields", "followed"),
    [
        ({"result": "3 passed"}, 1),
        ({"error": "Exit code 1\n1 failed"}, 1),
        ({"error": "The user doesn't want to proceed with this tool use."}, 0),
        ({"tool_name": "Read", "tool_input": {"file_path": "uv run pytest -m quick"}}, 0),
    ],
    ids=["passed", "failed", "rejected", "no command"],
)
def test_tool_call_that_ran_the_command_counts(
    fields: dict[str, Any],
    followed: int,
    alice: User,
    shared_project: Project,
    django_capture_on_commit_callbacks: Any,
) -> None:
    row = learn(alice, shared_project)
    bash = {"tool_name": "Bash", "tool_input": {"command": "uv run pytest -m quick"}}
    with django_capture_on_commit_callbacks(execute=True):
        send(alice, call(1, **bash | fields), project=shared_project)

    assert usage.uses(row)["followed"] == followed


def test_many_runs_ask_the_database_once_unless_a_learning_is_followed(
    alice: User, shared_project: Project, django_assert_num_queries: Any
) -> None:
    row = learn(alice, shared_project)
    with django_assert_num_queries(1):
        for _ in range(5):
            note_commands([run(alice, shared_project, "make")])
    note_commands([run(alice, shared_project, "uv run pytest -m quick")])

    assert usage.uses(row)["followed"] == 1


@pytest.mark.parametrize("change", [{"hidden": True}, {"project": None, "user": "charlie"}], ids=["hidden", "moved"])
def test_learning_that_was_hidden_or_moved_since_it_was_read_is_not_counted(
    change: dict[str, Any], alice: User, charlie: User, shared_project: Project
) -> None:
    row = learn(alice, shared_project)
    note_commands([run(alice, shared_project, "make")])
    Learning.objects.update(**change | ({"user": charlie} if "user" in change else {}))
    note_commands([run(alice, shared_project, "uv run pytest -m quick")])

    assert usage.uses(row)["followed"] == 0
