"""Migrations: all can be undone, those after the first release lock no full table for long, and squashed ones agree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.core.management import call_command
from django.db import connection, models
from django.db.migrations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    CreateModel,
    Migration,
    RunPython,
    RunSQL,
)
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from memoryserver.ops.backups import archive
from tests.support.database.migration_rules import faults, irreversible
from tests.support.database.unsquashed import unsquashed
from tests.test_layout import PACKAGES
from tests.test_releases import FIRST

OWN = [config.label for config in apps.get_app_configs() if config.name.partition(".")[0] in PACKAGES]


def own_migrations() -> dict[tuple[str, str], Migration]:
    return {key: row for key, row in MigrationLoader(None).disk_migrations.items() if key[0] in OWN}


def released_migrations() -> set[tuple[str, str]]:
    return {(app, name) for app, names in archive.read_manifest(FIRST).migrations.items() for name in names}


def later_migrations() -> dict[tuple[str, str], Migration]:
    """The migrations that change a database of the first release."""
    released = released_migrations()
    return {
        key: row
        for key, row in own_migrations().items()
        if key not in released and not (row.replaces and released.issuperset(row.replaces))
    }


def test_migrations_of_every_app_are_found() -> None:
    assert {"accounts", "capture", "ghap", "obslog", "ops", "trajectory", "vectors"} <= {
        app for app, _ in own_migrations()
    }


def test_every_migration_can_be_undone() -> None:
    assert {key: wrong for key, row in own_migrations().items() if (wrong := irreversible(row))} == {}


def test_squashed_migrations_replace_those_of_the_first_release_so_that_later_ones_can_be_undone_to_it() -> None:
    replaced = [key for row in own_migrations().values() for key in row.replaces]
    apps_of = {app for app, _ in replaced}
    assert apps_of == {"access", "accounts", "capture", "ghap", "obslog", "ops", "trajectory", "vectors"}
    assert sorted(replaced) == sorted(key for key in released_migrations() if key[0] in apps_of)


def test_later_migrations_can_be_undone_to_the_first_release(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    for app, name in (("accounts", "0008"), ("capture", "0014"), ("obslog", "0004")):
        call_command("migrate", app, name, plan=True)
    undone = re.findall(r"^(\w+\.\d+)", capsys.readouterr().out, re.MULTILINE)

    assert [name for name in undone if name.startswith(("accounts", "capture", "obslog"))] == [
        *("accounts.0010", "accounts.0009"),
        *("capture.0018", "capture.0017", "capture.0016", "capture.0015"),
        *("obslog.0006", "obslog.0005"),
    ]


def plan() -> list[Migration]:
    executor = MigrationExecutor(connection)
    executor.loader.check_consistent_history(connection)
    return [row for row, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def test_installation_between_the_replaced_migrations_gets_what_it_lacks_and_nothing_twice(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    applied: dict[tuple[str, str], None] = {}
    monkeypatch.setattr(MigrationRecorder, "applied_migrations", lambda _: dict(applied))
    with unsquashed():
        whole = [(row.app_label, row.name) for row in plan()]

    for count in range(0, len(whole) + 1, 4):
        applied = dict.fromkeys(whole[:count])
        lacking = [key for row in plan() for key in row.replaces or [(row.app_label, row.name)]]
        assert sorted(lacking) == sorted(whole[count:])


def test_squashed_migrations_end_in_the_models_of_those_that_they_replace() -> None:
    squashed = MigrationLoader(None).project_state()
    with unsquashed():
        loader = MigrationLoader(None)
    state = loader.project_state()

    assert not any(row.replaces for row in loader.disk_migrations.values())
    assert MigrationAutodetector(state, squashed).changes(loader.graph) == {}


def test_migrations_after_the_first_release_lock_no_full_table_for_long() -> None:
    later = later_migrations()
    created = [
        (row.app_label, operation.name)
        for row in later.values()
        for operation in row.operations
        if isinstance(operation, CreateModel)
    ]
    assert [fault for row in later.values() for fault in faults(row, created)] == []


def made(*operations: Any, atomic: bool = True, reason: str = "") -> Migration:
    attributes = {"operations": list(operations), "atomic": atomic, "why_locking_is_fine": reason}
    kind: type[Migration] = type("Made", (Migration,), attributes)
    return kind("0099_later", "ghap")


INDEX = models.Index(fields=["goal"], name="by_goal")
CHECK = models.CheckConstraint(condition=models.Q(goal=""), name="no_goal")


@pytest.mark.parametrize(
    "migration",
    [
        made(AddIndex("entry", INDEX)),
        made(AddIndexConcurrently("entry", INDEX)),
        made(AddConstraint("entry", CHECK)),
        made(AddField("entry", "code", models.CharField(max_length=9, unique=True, default=""))),
        made(AddField("entry", "judge", models.ForeignKey("accounts.User", models.SET_NULL, null=True))),
        made(AlterField("entry", "goal", models.CharField(max_length=9))),
        made(RunPython(RunPython.noop, RunPython.noop)),
        made(RunSQL("UPDATE ghap_entry SET goal = ''", RunSQL.noop)),
        made(AddIndex("entry", INDEX), reason="short"),
    ],
)
def test_migration_that_locks_a_full_table_is_found(migration: Migration) -> None:
    assert len(list(faults(migration, []))) == 1


@pytest.mark.parametrize(
    "migration",
    [
        made(AddIndexConcurrently("entry", INDEX), atomic=False),
        made(AddConstraintNotValid("entry", CHECK)),
        made(ValidateConstraint("entry", "no_goal")),
        made(AddField("entry", "note", models.TextField(default=""))),
        made(RunPython(RunPython.noop, RunPython.noop), atomic=False),
        made(AddIndex("entry", INDEX), reason="The table has a row for each team, some hundreds at most."),
        made(CreateModel("Fresh", [("id", models.AutoField(primary_key=True))]), AddIndex("fresh", INDEX)),
    ],
)
def test_migration_that_does_not_is_not(migration: Migration) -> None:
    assert list(faults(migration, [("ghap", "Fresh")])) == []


def test_operation_that_cannot_be_undone_is_found() -> None:
    assert irreversible(made(RunPython(RunPython.noop))) == ["Raw Python operation"]
