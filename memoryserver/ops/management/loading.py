"""Django's command line, which has the garbage collector work once the apps are loaded, and what its errors mean."""

from __future__ import annotations

import gc

from django.core.management import BaseCommand, ManagementUtility
from django.db import Error, ProgrammingError

from memoryserver.database import way_out
from memoryserver.outages.errors import is_outage, reason_of

_UNPREPARED = ("42P01", "42703")  # a table or column that does not exist


class CommandLine(ManagementUtility):
    """Finds and runs a command; `ops.management.program` has turned the collector off before."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Return the command. From now on there is garbage, but not among what was loaded so far."""
        gc.freeze()
        gc.enable()
        return super().fetch_command(subcommand)


def trouble(error: Error) -> str | None:
    """Return what to do about an error of the database that ended a command; None if it is the command's own."""
    if is_outage(error):
        return f"the database cannot be reached; {way_out()} ({reason_of(error)})"
    if isinstance(error, ProgrammingError) and getattr(error.__cause__, "sqlstate", None) in _UNPREPARED:
        return f"the database is not prepared for this release; run: manage.py prepare ({reason_of(error)})"
    return None
