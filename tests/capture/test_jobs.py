"""Capture's jobs: what they embed, and for whom."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from capture import jobs
from capture.models import Learning
from capture.sink import store
from memoryserver.accounts.models import Project, User
from memoryserver.embedding import EmbeddingModelError
from memoryserver.vectors.models import Record
from tests.capture.test_sink import capture, learning
from tests.support.embedder import WordEmbedder


class Unloadable(WordEmbedder):
    def load(self) -> None:
        raise EmbeddingModelError("no such model")


def test_job_embeds_what_is_pending_once(alice: User, shared_project: Project) -> None:
    store(alice, shared_project, capture(learning(), learning("Another thing", type="gotcha")))

    assert (jobs.embed_pending(), jobs.embed_pending()) == (2, 0)
    assert Record.objects.exclude(embedding=None).count() == 2


def test_learnings_of_several_owners_are_embedded_each_for_its_own(
    alice: User, bob: User, shared_project: Project
) -> None:
    store(alice, None, capture(learning(), number=1))
    store(bob, shared_project, capture(learning(), number=2))
    store(alice, shared_project, capture(learning(), number=3))

    assert jobs.embed_pending() == 3
    assert set(Record.objects.exclude(embedding=None).values_list("user", "project")) == {
        (alice.pk, None),
        (bob.pk, shared_project.pk),
        (alice.pk, shared_project.pk),
    }


def test_model_that_does_not_load_fails_the_job_and_counts_against_no_learning(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(alice, None, capture(learning()))
    monkeypatch.setattr(jobs, "service", Unloadable)

    with pytest.raises(EmbeddingModelError, match="no such model"):
        jobs.embed_pending()
    assert Learning.objects.get().embed_attempts == 0


def test_nothing_pending_does_not_load_the_model(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "service", Unloadable)

    assert jobs.embed_pending() == 0


def test_server_starts_without_the_rules_of_the_extraction() -> None:
    """They are a twentieth of the start of each of its processes; the first message or transcript loads them."""
    script = (
        "import django, sys; django.setup(); import capture.jobs, memoryserver.urls;"
        "print('capture.local.extraction.extractor' in sys.modules)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "memoryserver.settings"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
