"""Learnings of a server that is updated keep their identities."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from capture.identities import digest_of, text_digest
from capture.models import CaptureState, Learning
from capture.sink import store
from memoryserver.accounts.models import User
from tests.capture.test_sink import CONTENT, capture, learning

THEN = datetime(2026, 11, 1, tzinfo=UTC)


def test_learning_of_before_is_known_again(transactional_db: None) -> None:
    user = User.objects.create_user("dora")
    call_command("migrate", "capture", "0002", verbosity=0)
    try:
        old: Any = MigrationExecutor(connection).loader.project_state([("capture", "0002_learning_pinned")]).apps
        fields = {
            "type": "learning",
            "content": CONTENT,
            "identity": digest_of(CONTENT),
            "confidence": 0.9,
            "pinned": True,
        }
        seen = {"first_seen": THEN, "last_seen": THEN, "content_digest": text_digest(CONTENT)}
        old.get_model("capture", "Learning").objects.create(user_id=user.pk, **fields, **seen)
        state = {"context_id": "c", "last_captured_at": THEN, "user_id": user.pk}
        old.get_model("capture", "CaptureState").objects.create(**state)
    finally:
        call_command("migrate", verbosity=0)

    again = store(user, None, capture(learning()))

    assert (again.stored, again.known) == (0, 1)
    assert (Learning.objects.get().seen_count, Learning.objects.get().pinned) == (2, True)
    assert CaptureState.objects.get(context_id="c").last_activity_at == THEN


def test_learnings_of_before_get_their_source_and_reports_are_marked(transactional_db: None) -> None:
    user = User.objects.create_user("dora")
    call_command("migrate", "capture", "0004", verbosity=0)
    try:
        old: Any = MigrationExecutor(connection).loader.project_state([("capture", "0004_learningsource_message_time")])
        rows = old.apps.get_model("capture", "Learning").objects
        seen = {"type": "learning", "confidence": 0.9, "first_seen": THEN, "last_seen": THEN, "user_id": user.pk}
        rows.create(content="Use uv", by_hand_at=THEN, **seen)
        rows.create(content="`make x` needs Docker", reasons=["seen in the output of commands"], **seen)
        rows.create(content="All 66 tests pass", reasons=["says why"], **seen)
    finally:
        call_command("migrate", verbosity=0)

    assert list(Learning.objects.order_by("pk").values_list("content", "source", "is_report")) == [
        ("Use uv", "agent", False),
        ("`make x` needs Docker", "observed", False),
        ("All 66 tests pass", "stated", True),
    ]
