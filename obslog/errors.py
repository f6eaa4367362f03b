"""What the log says no to."""

from __future__ import annotations


class InvalidObservationError(ValueError):
    """What was to be appended is not valid; the text says what and why."""


class TakenError(InvalidObservationError):
    """The id of what was to be appended belongs to an observation of somebody else."""


class InvalidQueryError(ValueError):
    """What was asked is not valid; the text says what and why."""
