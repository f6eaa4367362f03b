"""Rows that the admin shows and nobody changes there."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest


class ReadOnly:
    """Base of admin classes and inlines of evidence: no form adds, changes or deletes a row, nor does any action.

    Rows are added by clients and jobs. What is deleted with something else (a project's clusters, a user's private
    rows) goes with that.
    """

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: clients and jobs add the rows."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: rows are evidence."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: rows are evidence."""
        return False
