"""Conditions that Postgres checks only for the rows that a page needs."""

from __future__ import annotations

from django.db.models import Exists


class ExistsForEach(Exists):
    """An `Exists` that is evaluated row by row, as far as rows are needed, and not by a join over all of them.

    For the first rows in an index's order; where all rows are counted, the join is quicker. Postgres makes no join of a
    subquery with an OFFSET, even of 0.
    """

    template = "EXISTS(%(subquery)s OFFSET 0)"
