"""The registry of listeners for commands that agents ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.hooks import commands
from memoryserver.hooks.commands import CommandRun


@pytest.fixture(autouse=True)
def _none_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_listeners", {})


@pytest.fixture
def run(alice: User) -> CommandRun:
    return CommandRun(alice, None, "make test", timezone.now())


def test_every_listener_gets_the_runs_after_the_transaction(
    run: CommandRun, django_capture_on_commit_callbacks: Any
) -> None:
    heard: list[Sequence[CommandRun]] = []
    commands.register("a", heard.append)
    commands.register("b", heard.append)
    with django_capture_on_commit_callbacks(execute=True):
        commands.announce([run])
        assert heard == []

    assert heard == [[run], [run]]


def test_listener_replaces_the_one_of_its_name_and_nothing_is_announced_without_runs(
    run: CommandRun, django_capture_on_commit_callbacks: Any
) -> None:
    replaced: list[Sequence[CommandRun]] = []
    heard: list[Sequence[CommandRun]] = []
    commands.register("a", replaced.append)
    commands.register("a", heard.append)
    with django_capture_on_commit_callbacks(execute=True):
        commands.announce([])
        commands.announce([run])

    assert (replaced, heard) == ([], [[run]])


def test_listener_that_raises_keeps_no_other_from_the_runs(
    run: CommandRun, django_capture_on_commit_callbacks: Any
) -> None:
    def fail(runs: Sequence[CommandRun]) -> None:
        raise ValueError

    heard: list[Sequence[CommandRun]] = []
    commands.register("a", fail)
    commands.register("b", heard.append)
    with django_capture_on_commit_callbacks(execute=True):
        commands.announce([run])

    assert heard == [[run]]
