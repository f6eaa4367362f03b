"""Queue files as the sink takes them: what is left out has a default, and many learnings cost what one costs."""

from __future__ import annotations

import uuid

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from capture import sink
from capture.deliveries import IncomingCapture, IncomingLearning, StoreResult
from capture.models import Learning
from memoryserver.accounts.models import User


def delivery(*contents: str, context: str = "c") -> IncomingCapture:
    learnings = [IncomingLearning("gotcha", content, 0.8, place) for place, content in enumerate(contents)]
    return IncomingCapture(uuid.uuid4(), context, timezone.now(), (0, len(contents)), 0, learnings)


def test_learning_has_defaults_for_what_older_clients_leave_out() -> None:
    learning = IncomingLearning("gotcha", "text", 0.5, 3)

    assert (learning.source_message_uuid, list(learning.reasons), learning.time, learning.source) == (
        "",
        [],
        None,
        None,
    )


def test_many_new_learnings_cost_as_many_statements_as_one(alice: User) -> None:
    counts = []
    for size in (1, 40):
        with CaptureQueriesContext(connection) as sent:
            stored = sink.store(alice, None, delivery(*(f"{size} needs {n}" for n in range(size)), context=str(size)))
        assert stored == StoreResult(stored=size, known=0, duplicate=False)
        counts.append(len(sent))

    assert counts[0] == counts[1]


def test_wording_that_comes_twice_in_one_delivery_is_one_learning_counted_twice(alice: User) -> None:
    stored = sink.store(alice, None, delivery("Use make", "other", "use  make"))

    assert stored == StoreResult(stored=2, known=1, duplicate=False)
    assert list(Learning.objects.order_by("pk").values_list("content", "seen_count")) == [("Use make", 2), ("other", 1)]


def test_what_is_empty_without_secrets_is_not_stored(alice: User) -> None:
    stored = sink.store(alice, None, delivery("ghp_" + "a1B2" * 9, "kept"))

    assert stored == StoreResult(stored=1, known=1, duplicate=False)
    assert Learning.objects.get().content == "kept"
