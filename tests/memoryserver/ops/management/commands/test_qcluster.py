"""The command that runs jobs, as a process."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django_q.models import OrmQ

from memoryserver.jobs import enqueue
from memoryserver.ops.models import Heartbeat
from tests.support.processes import django_process

RUN = """
from django.core.management import call_command
call_command("qcluster", *sys.argv[2:], run_once=True)
print("done", flush=True)
"""


@pytest.mark.django_db(transaction=True)
def test_jobs_that_are_due_are_run_once_and_the_process_ends() -> None:
    enqueue("memoryserver.ops.jobs.heartbeat")
    assert OrmQ.objects.count() == 1

    with django_process.start(RUN) as process:
        printed, _ = process.communicate(timeout=120)

    assert (printed.splitlines()[-1], process.returncode, OrmQ.objects.count()) == ("done", 0, 0)
    assert Heartbeat.objects.exists()


def test_queue_that_does_not_exist_is_an_error(settings: Any) -> None:
    settings.EMBEDDING_QUEUE = False
    with pytest.raises(CommandError, match="set MEMORYSERVER_EMBEDDING_QUEUE=1"):
        call_command("qcluster", "--queue", "embedding")
