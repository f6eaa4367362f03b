"""The log's database triggers.

Both run functions that the first migration creates. The functions that django-pgtrigger generates are not used: they
are disabled by `pgtrigger.ignore`, and the log allows no such exception.
"""

from __future__ import annotations

import pgtrigger
from django.db.models import Model


class _OwnFunction(pgtrigger.Trigger):
    """A trigger that calls our own function, named by `function`."""

    function: str
    func = "RAISE EXCEPTION 'not used';"

    def render_execute(self, model: Model) -> str:
        """Return the function call of the trigger."""
        return f"{self.function}()"


class AppendOnly(_OwnFunction):
    """Rejects every UPDATE and DELETE of a row, for all roles."""

    when = pgtrigger.Before
    operation = pgtrigger.Update | pgtrigger.Delete
    function = "obslog_refuse_change"


class InFlight(_OwnFunction):
    """Publishes that a transaction is appending, and from which arrival on: see `obslog.cursor`.

    Runs once per statement, before any of its rows gets an arrival.
    """

    when = pgtrigger.Before
    operation = pgtrigger.Insert
    level = pgtrigger.Statement
    function = "obslog_note_append"
