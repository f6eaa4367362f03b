from __future__ import annotations

from memoryserver.accounts.models import User
from obslog import log
from obslog.pages.types import types_of
from tests.support.rows.observations import new


def test_types_are_grouped_by_their_first_part(alice: User, bob: User) -> None:
    for name in ("task.updated", "task.done", "ghap.resolved", "task.updated", "plain"):
        log.append(alice, new(type=name))
    log.append(bob, new(type="other.thing"))
    assert types_of(alice) == {
        "ghap": ["ghap.resolved"],
        "plain": ["plain"],
        "task": ["task.done", "task.updated"],
    }


def test_user_without_observations_has_no_types(alice: User) -> None:
    assert types_of(alice) == {}
