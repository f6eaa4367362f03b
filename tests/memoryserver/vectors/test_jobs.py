"""The job that builds the indexes of collections that have grown."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from memoryserver.accounts.models import User
from memoryserver.vectors import indexes, jobs
from tests.memoryserver.vectors.made import all_indexes, fill

pytestmark = pytest.mark.usefixtures("no_index_is_left")


def test_job_builds_the_index_of_what_has_grown_and_only_once(small_limits: None) -> None:
    owner = User.objects.create(username="owner")
    fill(owner, 11, "large")
    fill(owner, 10, "small")

    assert [jobs.index_grown(), jobs.index_grown()] == [1, 0]
    assert all_indexes() == {"record_hnsw_large"}


def test_job_leaves_what_takes_too_long_to_the_command_and_says_so(
    small_limits: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fill(User.objects.create(username="owner"), 30)
    monkeypatch.setattr(indexes, "MAX_RECORDS_PER_JOB", 20)

    assert jobs.index_grown() == 0
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "collection too large to be indexed by a job; run: manage.py index_vectors"
    ]

    call_command("index_vectors")
    assert all_indexes() == {"record_hnsw_things"}
