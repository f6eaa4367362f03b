"""Migrating as an installation does that is between two of the migrations which a squashed one replaces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
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
