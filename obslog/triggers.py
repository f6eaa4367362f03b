"""The log's database triggers.

Both run functions that the first migration makes. The function that django-pgtrigger generates beside each
is not used: it steps aside where somebody has set `pgtrigger.ignore`, and the log knows no such exception.
"""

from __future__ import annotations

import pgtrigger
from django.db.models import Model


class _OwnFunction(pgtrigger.Trigger):
    """A trigger of a function of ours, named by `function`."""

    function: str
    func = "RAISE EXCEPTION 'not used';"

    def render_execute(self, model: Model) -> str:
        """What the trigger calls."""
        return f"{self.function}()"


class AppendOnly(_OwnFunction):
    """Refuses every UPDATE and DELETE of a row, whoever tries and by whatever way."""

    when = pgtrigger.Before
    operation = pgtrigger.Update | pgtrigger.Delete
    function = "obslog_refuse_change"


class InFlight(_OwnFunction):
    """Lets others see that a transaction is appending, and from which arrival on: see `obslog.cursor`.

    Once for a statement, before any row of it gets its arrival.
    """

    when = pgtrigger.Before
    operation = pgtrigger.Insert
    level = pgtrigger.Statement
    function = "obslog_note_append"
