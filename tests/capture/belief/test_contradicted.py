"""Which later learnings come before an earlier one."""

from __future__ import annotations

from capture.belief.contradicted import later
from capture.models import Contradiction, Learning
from memoryserver.accounts.models import Project, User
from tests.capture.review.conftest import learn


def test_undecided_ones_have_the_later_ones_that_are_shown_and_the_newest_comes_first(
    alice: User, shared_project: Project
) -> None:
    first, second, third = (learn(alice, shared_project, f"On port {day}", day) for day in (1, 2, 3))
    for earlier, other in ((first, second), (first, third), (second, third)):
        Contradiction.objects.create(earlier=earlier, later=other, reason="value")
    keys = [str(row.pk) for row in (first, second, third)]

    undecided = later(keys)
    Contradiction.objects.filter(earlier=first, later=second).update(decision="both")
    Learning.objects.filter(pk=third.pk).update(hidden=True)

    assert list(undecided.items()) == [(keys[1], {keys[2]}), (keys[0], {keys[1], keys[2]})]
    assert later(keys) == {}
