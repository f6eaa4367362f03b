"""What a migration must not do to tables that are in use: see CONTRIBUTING.md, "a migration"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db.migrations import Migration
from django.db.migrations import operations as ops
from django.db.migrations.operations.base import Operation

REASON = "why_locking_is_fine"
"""The attribute of a migration that may lock a table: one sentence that says why that is short."""

_ONLINE = (AddIndexConcurrently, AddConstraintNotValid, ValidateConstraint)


def irreversible(migration: Migration) -> list[str]:
    """The operations of `migration` that cannot be undone."""
    return [operation.describe() for operation in migration.operations if not operation.reversible]


def faults(migration: Migration, created: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What `migration` does that blocks others for as long as a table is large.

    `created` are tables that are new after the first release, by app and model, and so not large yet. A migration with
    a REASON has no faults.
    """
    if len(getattr(migration, REASON, "")) >= 20:
        return
    new = {(app, model.lower()) for app, model in created}
    for operation in _flat(migration.operations):
        if (migration.app_label, str(getattr(operation, "model_name", "")).lower()) in new:
            continue
        fault = _fault(operation, atomic=migration.atomic)
        if fault:
            yield f"{migration.app_label}.{migration.name}: {fault}"


def _flat(operations: Iterable[Operation]) -> Iterator[Operation]:
    """The operations that reach the database."""
    for operation in operations:
        if isinstance(operation, ops.SeparateDatabaseAndState):
            yield from _flat(operation.database_operations)
        else:
            yield operation


def _fault(operation: Operation, *, atomic: bool) -> str:
    if isinstance(operation, _ONLINE):
        return "" if not atomic or not isinstance(operation, AddIndexConcurrently) else "atomic with a concurrent index"
    if isinstance(operation, ops.AddIndex):
        return f"index {operation.index.name} is built under a lock; use AddIndexConcurrently, not atomic"
    if isinstance(operation, ops.AddConstraint):
        return (
            f"constraint {operation.constraint.name} is checked under a lock; AddConstraintNotValid, ValidateConstraint"
        )
    if isinstance(operation, ops.AddField):
        return _fault_of_new(operation.name, operation.field)
    if isinstance(operation, ops.AlterField):
        return f"column {operation.name} is altered, which can rewrite the table"
    if isinstance(operation, ops.RunPython | ops.RunSQL) and atomic:
        return "rows are changed in one transaction; batches in a migration that is not atomic"
    return ""


def _fault_of_new(name: str, field: Any) -> str:
    """A column may be added at once if it is empty or has a constant default; an index on it is built under a lock."""
    if field.unique or field.db_index:
        return f"column {name} gets an index under a lock"
    if getattr(field, "generated", False):
        return f"column {name} is computed for each row under a lock"
    return ""
