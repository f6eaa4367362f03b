"""Learnings that the person or agent who stores a new one says that it replaces."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.http import Http404

from capture import learnings
from capture.belief import usage
from capture.merging.contradiction import STATED
from capture.models import Contradiction, Learning
from capture.review import contradictions
from memoryserver.accounts.models import User
from memoryserver.errors import InvalidInputError


@transaction.atomic
def replace(user: User, later: Learning, keys: Iterable[int]) -> None:
    """Hide the learnings `keys`, which `later` replaces; those that `user` may not change are marked as contradicted.

    It is recorded as a decision between the two, or as an open one. Raises InvalidInputError for one that `user` cannot
    see, for `later` itself and where it was decided that another one stays; then nothing is changed.
    """
    for key in dict.fromkeys(keys):
        if key == later.pk:
            raise InvalidInputError("replaces: a learning cannot replace itself")
        try:
            earlier = learnings.get(user, key)
        except Http404 as error:
            raise InvalidInputError(f"replaces: learning {key} is not found or not visible to you") from error
        row, new = Contradiction.objects.get_or_create(earlier=earlier, later=later, defaults={"reason": STATED})
        if new:
            usage.count("contradicted", [earlier.pk])
        if contradictions.may_decide(user, row, "later"):
            _decide(user, row)


def _decide(user: User, row: Contradiction) -> None:
    try:
        contradictions.decide(user, row.pk, "later")
    except contradictions.AlreadyDecidedError as error:
        raise InvalidInputError(f"replaces: about learning {row.earlier_id}, {error}") from error
