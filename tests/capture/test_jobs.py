"""Capture's jobs: what they embed, and for whom."""

from __future__ import annotations

from capture import jobs
from capture.sink import store
from memoryserver.accounts.models import Project, User
from memoryserver.vectors.models import Record
from tests.capture.test_sink import capture, learning


def test_job_embeds_what_is_pending_once(alice: User, shared_project: Project) -> None:
    store(alice, shared_project, capture(learning(), learning("Another thing", type="gotcha")))

    assert (jobs.embed_pending(), jobs.embed_pending()) == (2, 0)
    assert Record.objects.exclude(embedding=None).count() == 2
