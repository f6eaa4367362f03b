"""Callers tell an invalid observation from other invalid input, and both from a failure of the database."""

from __future__ import annotations

import pytest

from memoryserver.errors import InvalidInputError
from obslog.errors import IdTakenError, InvalidObservationError


def test_taken_id_is_handled_as_an_invalid_observation() -> None:
    with pytest.raises(InvalidObservationError, match="^taken$"):
        raise IdTakenError("taken")


@pytest.mark.parametrize("error", [InvalidObservationError, IdTakenError])
def test_errors_are_invalid_input(error: type[Exception]) -> None:
    assert issubclass(error, InvalidInputError)
