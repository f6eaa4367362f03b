"""The obslog app."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class ObslogConfig(AppConfig):
    """The observation log. It records other apps' signals; `migrate` also creates its partitions."""

    name = "obslog"
    verbose_name = "observation log"

    def ready(self) -> None:
        """Connect to the signals, and register the log with search."""
        from memoryserver.accounts.transfer import kinds
        from memoryserver.search import lookup, sources
        from obslog import audit, listeners, sso_listeners
        from obslog.reading import FINDER
        from obslog.search import SOURCE
        from obslog.transfer import KIND

        listeners.connect()
        audit.connect()
        sso_listeners.connect()
        kinds.register(KIND)
        sources.register(SOURCE)
        lookup.register(FINDER)
        post_migrate.connect(_prepare_tables, sender=self, dispatch_uid="obslog")


def _prepare_tables(sender: Any, **kwargs: Any) -> None:
    """Create partitions and revoke privileges, if the tables exist (after a backward migration they may not)."""
    from django.db import connection
    from django.utils import timezone

    from obslog import months, partitions

    if partitions.OBSERVATIONS in connection.introspection.table_names():
        partitions.ensure(timezone.now())
        months.revoke_changes()
