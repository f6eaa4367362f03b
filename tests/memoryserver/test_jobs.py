from __future__ import annotations

from django.db import transaction
from django_q.models import OrmQ

from ghap.intake import PERSIST_JOB
from memoryserver.accounts.models import User
from memoryserver.jobs import enqueue


def test_job_of_a_transaction_that_is_rolled_back_is_not_enqueued(alice: User) -> None:
    with transaction.atomic():
        enqueue(PERSIST_JOB)
        transaction.set_rollback(True)

    assert OrmQ.objects.count() == 0


def test_enqueued_job_waits_under_its_name(alice: User) -> None:
    enqueue(PERSIST_JOB)

    assert [(waiting.name(), waiting.args()) for waiting in OrmQ.objects.all()] == [(PERSIST_JOB, ())]
