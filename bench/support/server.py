"""A server's inside for benchmarks: an embedded Postgres of their own, and Django set up on it."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def running() -> Iterator[None]:
    """Within it the models are there, in a database that is empty at first and gone afterwards."""
    data = Path(tempfile.mkdtemp(prefix="memoryserver-bench-"))
    os.environ |= {"MEMORYSERVER_DATA": str(data), "MEMORYSERVER_HOME": str(data / "home")}
    os.environ["MEMORYSERVER_LOG_LEVEL"] = "WARNING"
    os.environ["DJANGO_SETTINGS_MODULE"] = "memoryserver.settings"
    os.environ.pop("DATABASE_URL", None)
    from memoryserver.ops.postgres import EmbeddedPostgres

    server = EmbeddedPostgres(data)
    try:
        server.start()
        import django

        django.setup()
        gc.freeze()  # as `manage.py` does before it runs a command
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        yield
    finally:
        from django.db import connections

        connections.close_all()
        server.stop()
        shutil.rmtree(data, ignore_errors=True)
