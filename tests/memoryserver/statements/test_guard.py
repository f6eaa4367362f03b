"""Two guards as one."""

from __future__ import annotations

import pytest

from memoryserver.statements import rows
from memoryserver.statements.guard import Guard


@pytest.mark.django_db
@pytest.mark.parametrize(("one", "other", "both"), [(1, 2, True), (0, 2, False), (1, 0, False)])
def test_both_guards_must_hold(one: int, other: int, both: bool) -> None:
    guard = Guard("1 = %(one)s", {"one": one}) & Guard("2 = %(other)s", {"other": other})

    assert (rows.first(f"SELECT 1 WHERE {guard.condition}", guard.parameters) is not None) == both
