"""Callers tell an invalid observation from an invalid query, and both from a failure of the database."""

from __future__ import annotations

import pytest

from obslog.errors import IdTakenError, InvalidObservationError, InvalidQueryError


def test_taken_id_is_handled_as_an_invalid_observation() -> None:
    with pytest.raises(InvalidObservationError, match="^taken$"):
        raise IdTakenError("taken")


@pytest.mark.parametrize("error", [InvalidObservationError, IdTakenError, InvalidQueryError])
def test_errors_are_value_errors(error: type[Exception]) -> None:
    assert issubclass(error, ValueError)


def test_observation_and_query_errors_are_not_caught_for_each_other() -> None:
    assert not issubclass(InvalidQueryError, InvalidObservationError)
    assert not issubclass(InvalidObservationError, InvalidQueryError)
