"""Capture's section of the page of the operation."""

from __future__ import annotations

from capture import failures, operations
from memoryserver.accounts.models import User


def test_section_has_the_figures_of_all_and_the_files_that_are_not_stored(alice: User, bob: User) -> None:
    for user in (alice, bob):
        failures.record(user, capture_id="c", context_id="x", reason="odd")
    failures.resolve(bob, "c")
    context = operations.context()
    assert (context["file_count"], [row.user for row in context["files"]]) == (1, [alice])
    assert (context["failures"].refused, context["failures"].silent, context["contexts"].sessions) == (2, 0, 0)
