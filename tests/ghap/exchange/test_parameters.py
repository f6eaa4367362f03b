"""What parameters mean, and the error of one that means nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ghap.exchange.parameters import moment, project_key
from memoryserver.accounts.models import Project, User
from memoryserver.errors import InvalidInputError


def test_left_out_parameters_are_none(charlie: User) -> None:
    assert (project_key(charlie, None), moment("since", None)) == (None, None)


def test_project_and_time_are_returned_as_stored(bob: User, shared_project: Project) -> None:
    assert project_key(bob, " github.com/crew/shop") == "github.com/crew/shop"
    assert moment("since", "2026-11-20") == datetime(2026, 11, 20, tzinfo=UTC)


def test_what_means_nothing_is_named(charlie: User, shared_project: Project) -> None:
    with pytest.raises(InvalidInputError, match="^there is no project 'github.com/crew/shop' that you can see$"):
        project_key(charlie, shared_project.key)
    with pytest.raises(InvalidInputError, match="^until: give a date such as 2026-11-20"):
        moment("until", "soon")
