from __future__ import annotations

from typing import Any

import pytest
from django_q.signing import SignedPackage

from memoryserver.ops.brokers.common import kind_of, queue_of


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        pytest.param({"func": "a.b", "args": (), "kwargs": {}}, "a.b", id="without-arguments"),
        pytest.param({"func": "a.b", "args": (1,), "kwargs": {}}, None, id="argument"),
        pytest.param({"func": "a.b", "args": (), "kwargs": {"c": 1}}, None, id="named-argument"),
        pytest.param({"func": len, "args": (), "kwargs": {}}, None, id="function-itself"),
    ],
)
def test_kind_is_the_name_of_a_function_without_arguments(task: dict[str, object], kind: str | None) -> None:
    assert kind_of(SignedPackage.dumps(task)) == kind


def test_what_cannot_be_read_has_no_kind() -> None:
    assert kind_of("nonsense") is None


EMBEDS = "capture.jobs.embed_pending"


@pytest.mark.parametrize(
    ("kind", "added_by", "queue"),
    [
        (EMBEDS, "memory", "embedding"),
        (EMBEDS, "embedding", "embedding"),
        ("memoryserver.ops.jobs.watch", "memory", "memory"),
        ("memoryserver.ops.jobs.watch", "embedding", "memory"),
        (None, "embedding", "memory"),
    ],
)
def test_jobs_that_embed_have_a_queue_of_their_own_from_every_worker(
    kind: str | None, added_by: str, queue: str, settings: Any
) -> None:
    settings.EMBEDDING_QUEUE = True
    assert queue_of(kind, added_by) == queue


def test_all_jobs_have_one_queue_by_default(settings: Any) -> None:
    assert settings.EMBEDDING_QUEUE is False
    assert queue_of(EMBEDS, "memory") == "memory"
