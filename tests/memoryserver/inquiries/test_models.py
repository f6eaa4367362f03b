from __future__ import annotations

from memoryserver.accounts import deletion
from memoryserver.accounts.models import Project, User
from memoryserver.inquiries.models import Inquiry


def test_private_inquiries_are_deleted_with_their_person(alice: User, bob: User, shared_project: Project) -> None:
    for user in (alice, bob):
        Inquiry.objects.create(user=user, kind="search", way="page", found=0)

    deletion.delete(alice)

    assert [str(row) for row in Inquiry.objects.all()] == [f"search by user {bob.pk}"]
