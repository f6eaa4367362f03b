"""The condition for each row is that of `Exists`, but no join."""

from __future__ import annotations

import pytest
from django.db.models import Exists, OuterRef

from memoryserver.accounts.models import Membership, Project, User
from memoryserver.statements.for_each import ExistsForEach


def test_rows_are_those_of_exists(alice: User, charlie: User, shared_project: Project) -> None:
    memberships = Membership.objects.filter(user=OuterRef("pk"), team=shared_project.team)
    users = User.objects.filter(pk__in=[alice.pk, charlie.pk])

    assert list(users.filter(ExistsForEach(memberships))) == [alice]
    assert list(users.filter(~ExistsForEach(memberships))) == [charlie]


@pytest.mark.parametrize(("exists", "is_joined"), [(Exists, True), (ExistsForEach, False)])
def test_only_exists_is_joined(db: None, exists: type[Exists], *, is_joined: bool) -> None:
    members = User.objects.filter(~exists(Membership.objects.filter(user=OuterRef("pk"))))

    assert ("Anti Join" in members.explain()) is is_joined
