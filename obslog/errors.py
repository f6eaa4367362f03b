"""Errors of the log."""

from __future__ import annotations


class InvalidObservationError(ValueError):
    """An observation to append is invalid; the text says why."""


class IdTakenError(InvalidObservationError):
    """The id of an observation to append belongs to another user's observation."""


class InvalidQueryError(ValueError):
    """A query is invalid; the text says why."""
