from __future__ import annotations

import pytest

from memoryserver.accounts.scopes import ALL, LAPTOP, Scope, scopes_in


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["read"], ["read"]),
        (["manage", "ingest"], ["ingest", "manage"]),
        (["read", "read"], ["read"]),
        (ALL, ["ingest", "read", "manage"]),
        (LAPTOP, ["ingest", "read"]),
        ([Scope.READ], ["read"]),
    ],
    ids=["one", "in order", "twice", "all", "laptop", "of the class"],
)
def test_scopes_are_returned_in_their_order_and_once(names: list[str], expected: list[str]) -> None:
    assert scopes_in(names) == expected


@pytest.mark.parametrize("name", ["", "READ", "read ", "admin"])
def test_unknown_scope_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^unknown scope '.*'; choose from: ingest, read, manage$"):
        scopes_in(["read", name])
