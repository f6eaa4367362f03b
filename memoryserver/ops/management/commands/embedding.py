"""`manage.py embedding`: the embedding process, as `manage.py up` starts it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from memoryserver.ops import embedding_process


class Command(BaseCommand):
    """Serve until SIGTERM. `manage.py` runs it without loading Django's apps; this class is for `manage.py help`."""

    help = (
        "Embed for the web processes and job workers of this machine, which find it by MEMORYSERVER_EMBEDDING_SOCKET "
        "and then load no model themselves. Part of `manage.py up`."
    )
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until SIGTERM or Ctrl-C."""
        embedding_process.main()
