"""The migrations that squashed ones replace, and the models that they see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.apps.registry import Apps
from django.db.migrations.loader import MigrationLoader


@contextmanager
def unsquashed() -> Iterator[None]:
    """Have Django read no squashed migration, so that those which it replaces can be applied and undone one by one."""
    read = MigrationLoader.load_disk

    def load_disk(loader: MigrationLoader) -> None:
        read(loader)
        for key in [key for key, row in loader.disk_migrations.items() if row.replaces]:
            del loader.disk_migrations[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(MigrationLoader, "load_disk", load_disk)
        yield


def models_before(app: str, migration: str) -> Apps:
    """Return the models that `migration` of `app` is given, to call its function on today's tables.

    To undo all later migrations and apply them again takes half a minute.
    """
    with unsquashed():
        apps: Apps = MigrationLoader(None).project_state((app, migration), at_end=False).apps
    return apps
