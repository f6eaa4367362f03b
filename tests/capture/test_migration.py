"""Learnings of a server that is updated keep their identities."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from django.db import connection

from capture.identities import digest_of, text_digest
from capture.models import CaptureState, Learning
from capture.sink import store
from memoryserver.accounts.models import User
from tests.capture.test_sink import CONTENT, capture, learning
from tests.support.database.unsquashed import models_before

THEN = datetime(2026, 11, 1, tzinfo=UTC)
CURATION = import_module("capture.migrations.0003_curation_and_metrics")
SOURCES = "0006_derive_source_and_report"


def test_learnings_and_sessions_of_before_are_known_again(alice: User) -> None:
    """The identity was a column of the learning."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE capture_learning ADD COLUMN identity varchar(64)")
        cursor.execute("ALTER TABLE capture_capturestate ALTER COLUMN last_activity_at DROP NOT NULL")
        text = {"type": "learning", "content": CONTENT, "content_digest": text_digest(CONTENT)}
        seen = {"first_seen": THEN, "last_seen": THEN, "confidence": 0.9, "pinned": True}
        Learning.objects.create(user=alice, **text, **seen)
        state: dict[str, Any] = {"last_captured_at": THEN, "last_activity_at": None}
        CaptureState.objects.create(user=alice, context_id="c", **state)
        cursor.execute("UPDATE capture_learning SET identity = %s", [digest_of(CONTENT)])

        cursor.execute(CURATION.DATE_STATES)
        cursor.execute(CURATION.COPY_IDENTITIES)

    again = store(alice, None, capture(learning()))
    known = Learning.objects.get()
    assert (again.stored, again.known, known.seen_count, known.pinned) == (0, 1, 2, True)
    assert CaptureState.objects.get(context_id="c").last_activity_at == THEN


def test_learnings_of_before_get_their_source(alice: User) -> None:
    seen: dict[str, Any] = {"type": "learning", "confidence": 0.9, "first_seen": THEN, "last_seen": THEN, "user": alice}
    Learning.objects.create(content=CONTENT, **seen)
    Learning.objects.create(content="Use uv", by_hand_at=THEN, **seen)
    Learning.objects.create(content="`make x` needs Docker", reasons=["seen in the output of commands"], **seen)
    Learning.objects.create(content="All 66 tests pass", reasons=["says why"], **seen)
    Learning.objects.update(source="agent", is_report=False)

    with connection.schema_editor() as editor:
        import_module(f"capture.migrations.{SOURCES}")._derive(models_before("capture", SOURCES), editor)

    assert list(Learning.objects.order_by("pk").values_list("content", "source", "is_report")) == [
        (CONTENT, "stated", False),
        ("Use uv", "agent", False),
        ("`make x` needs Docker", "observed", False),
        ("All 66 tests pass", "stated", True),
    ]
