"""Learnings as documents of answers: which use an answer is for those that it had, and their pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date

from capture.belief import usage
from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.common.text import parse_number
from memoryserver.home.addresses import address_of
from memoryserver.inquiries.documents import Documents
from memoryserver.inquiries.models import Inquiry

SOURCE = "learnings"
_USES: Mapping[Inquiry.Kind, usage.Use] = {
    Inquiry.Kind.CONTEXT: "shown",
    Inquiry.Kind.SEARCH: "returned",
    Inquiry.Kind.OPEN: "opened",
}
"""A timeline has a line of each document, which is no use of it."""


def count(kind: Inquiry.Kind, documents: Sequence[str], day: date) -> None:
    """Count, as of `day`, the use that an answer of that kind is for the learnings among `documents`."""
    if kind in _USES:
        usage.count(_USES[kind], _keys(documents), day)


def pages(user: User, documents: Collection[str]) -> dict[str, str]:
    """Return the page of each learning among `documents` that `user` may see, hidden ones too, by its id."""
    rows = visible_rows(Learning.objects.filter(pk__in=_keys(documents)), user)
    keys = rows.order_by().values_list("pk", flat=True)
    return {f"{SOURCE}/{key}": address_of("learning", key) for key in keys}


def _keys(documents: Collection[str]) -> list[int]:
    names = (name.partition("/") for name in documents)
    numbers = [parse_number(key) for source, _, key in names if source == SOURCE]
    return [number for number in numbers if number is not None]


DOCUMENTS = Documents(pages, count)
