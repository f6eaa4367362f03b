"""Errors of the log."""

from __future__ import annotations

from memoryserver.errors import InvalidInputError


class InvalidObservationError(InvalidInputError):
    """An observation to append is invalid; the text says why."""


class IdTakenError(InvalidObservationError):
    """The id of an observation to append belongs to another user's observation."""
