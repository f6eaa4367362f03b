from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ghap.intake import receive
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body


def export(*words: str) -> list[str]:
    out = StringIO()
    call_command("export_data", *words, stdout=out)
    return out.getvalue().splitlines()


def test_lines_of_a_user_and_of_a_project_are_written(alice: User, bob: User, shared_project: Project) -> None:
    receive(alice, shared_project, [body()])
    exports = [export("alice"), export("bob"), export("bob", "--project", shared_project.key)]

    assert [len([line for line in lines if "ghap.entry" in line]) for lines in exports] == [1, 0, 1]
    assert json.loads(exports[2][0])["project"] == shared_project.key


def test_unknown_user_and_project_are_named(charlie: User, shared_project: Project) -> None:
    with pytest.raises(CommandError, match="there is no user 'robot'"):
        export("robot")
    with pytest.raises(CommandError, match="charlie sees no project 'github.com/crew/shop'"):
        export("charlie", "--project", shared_project.key)
