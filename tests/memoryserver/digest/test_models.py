from __future__ import annotations

from memoryserver.accounts import deletion
from memoryserver.accounts.models import User
from memoryserver.digest import subscriptions
from memoryserver.digest.models import Subscription


def test_subscription_ends_with_its_person(alice: User, bob: User) -> None:
    for user in (alice, bob):
        user.email = f"{user.username}@example.org"
        subscriptions.subscribe(user)

    deletion.delete(alice)

    assert list(Subscription.objects.values_list("user", flat=True)) == [bob.pk]
    assert str(Subscription.objects.get()) == f"weekly mail to user {bob.pk}"
