"""Migrations: all can be undone, and those after the first release lock no full table for long."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db import models
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
from django.db.migrations.loader import MigrationLoader

from memoryserver.ops.backups import archive
from tests.support.migration_rules import faults, irreversible
from tests.test_layout import PACKAGES
from tests.test_releases import FIRST

OWN = [config.label for config in apps.get_app_configs() if config.name.partition(".")[0] in PACKAGES]


def own_migrations() -> dict[tuple[str, str], Migration]:
    return {key: row for key, row in MigrationLoader(None).disk_migrations.items() if key[0] in OWN}


def later_migrations() -> dict[tuple[str, str], Migration]:
    """The migrations that the first release did not have."""
    released = {(app, name) for app, names in archive.read_manifest(FIRST).migrations.items() for name in names}
    return {key: row for key, row in own_migrations().items() if key not in released}


def test_migrations_of_every_app_are_found() -> None:
    assert {"accounts", "capture", "ghap", "obslog", "ops", "trajectory", "vectors"} <= {
        app for app, _ in own_migrations()
    }


def test_every_migration_can_be_undone() -> None:
    assert {key: wrong for key, row in own_migrations().items() if (wrong := irreversible(row))} == {}


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
