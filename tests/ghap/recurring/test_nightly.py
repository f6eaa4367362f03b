from __future__ import annotations

import pytest

from ghap import grouping, jobs
from ghap.intake import receive
from ghap.models import Clustering, Failure
from ghap.recurring import nightly
from memoryserver.accounts.models import User
from tests.ghap.failures import SubjectEmbedder, failures


@pytest.fixture(autouse=True)
def stored(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight failures of two kinds, with vectors."""
    monkeypatch.setattr(jobs, "service", SubjectEmbedder)
    monkeypatch.setattr("ghap.intake.service", SubjectEmbedder)
    receive(alice, None, failures("time zone", "mock"))
    jobs.persist_pending()


def test_all_that_is_due_is_computed_and_its_failures_are_counted() -> None:
    assert nightly.find_clusters(60.0) == (2, True)
    assert Failure.objects.count() == 2
    assert nightly.find_clusters(60.0) == (0, True)


def test_without_time_one_is_computed_and_the_rest_is_left() -> None:
    assert nightly.find_clusters(0.0) == (1, False)
    assert Clustering.objects.filter(attempted_at=None).count() == 1


def test_without_scikit_learn_nothing_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "is_installed", lambda: False)

    assert nightly.find_clusters(60.0) == (0, True)
    assert Clustering.objects.count() == 0
