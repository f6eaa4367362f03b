from __future__ import annotations

from django.core import mail

from memoryserver.accounts.models import User
from memoryserver.digest import jobs
from tests.memoryserver.digest.test_sending import due


def test_job_sends_what_is_due_and_says_how_much(alice: User, bob: User) -> None:
    due(alice)
    due(bob)

    assert [jobs.send_due(), jobs.send_due()] == [2, 0]
    assert sorted(message.to[0] for message in mail.outbox) == ["alice@example.org", "bob@example.org"]
