"""The apps whose documents answers have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date

import pytest

from memoryserver.accounts.models import User
from memoryserver.inquiries import documents
from memoryserver.inquiries.documents import Documents
from memoryserver.inquiries.models import Inquiry

DAY = date(2026, 11, 20)
NOBODY = User(username="nobody")


def test_each_app_counts_and_says_what_is_visible_and_a_name_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_apps", {})
    counted: list[tuple[str, str, Sequence[str], date]] = []

    def app(name: str) -> Documents:
        def count(kind: Inquiry.Kind, ids: Sequence[str], day: date) -> None:
            counted.append((name, kind, ids, day))

        def pages(user: User, ids: Collection[str]) -> Mapping[str, str]:
            return {identifier: f"/{identifier}/" for identifier in ids if identifier.startswith(name)}

        return Documents(pages, count)

    documents.register("a", app("x"))
    documents.register("b", app("b"))
    documents.register("a", app("a"))
    ids = ["a/1", "b/1", "x/1"]
    documents.count(Inquiry.Kind.OPEN, ids, DAY)

    assert counted == [("a", "open", ids, DAY), ("b", "open", ids, DAY)]
    assert documents.pages(NOBODY, ids) == {"a/1": "/a/1/", "b/1": "/b/1/"}


def test_without_an_app_nothing_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_apps", {})
    documents.count(Inquiry.Kind.OPEN, ["a/1"], DAY)

    assert documents.pages(NOBODY, ["a/1"]) == {}
