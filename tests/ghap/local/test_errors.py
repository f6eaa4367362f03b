"""The errors of a journal."""

from __future__ import annotations

import inspect

from ghap.local import GHAPAlreadyActiveError, GHAPError, InvalidEntryError, errors


def test_every_error_can_be_caught_as_one() -> None:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    assert len(kinds) == 8
    assert all(issubclass(kind, GHAPError) for kind in kinds)


def test_invalid_entry_is_a_value_error() -> None:
    assert issubclass(InvalidEntryError, ValueError)


def test_already_active_names_the_entry_and_the_calls_that_work_on_it() -> None:
    error = GHAPAlreadyActiveError("ghap_1 is still active")
    assert (error.about, error.is_orphan) == ("ghap_1 is still active", False)
    assert str(error) == "ghap_1 is still active: resolve it (resolve_ghap), or abandon it (abandon_ghap)"


def test_entry_of_an_earlier_session_can_also_be_adopted() -> None:
    error = GHAPAlreadyActiveError("ghap_1 is still active", is_orphan=True)
    assert str(error) == (
        "ghap_1 is still active: resolve it (resolve_ghap), adopt it (adopt_orphan), or abandon it (abandon_ghap)"
    )
