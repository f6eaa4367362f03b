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
from tests.support.unsquashed import unsquashed

THEN = datetime(2026, 11, 1, tzinfo=UTC)


def test_learnings_of_before_are_known_again_and_get_their_source(transactional_db: None) -> None:
    """One way back and forth for both releases: nearly all of the time is the migrating."""
    user = User.objects.create_user("dora")
    with unsquashed():
        call_command("migrate", "capture", "0002", verbosity=0)
        try:
            make_rows_of_the_second(user)
            call_command("migrate", "capture", "0004", verbosity=0)
            make_rows_of_the_fourth(user)
        finally:
            call_command("migrate", verbosity=0)

    assert list(Learning.objects.order_by("pk").values_list("content", "source", "is_report")) == [
        (CONTENT, "stated", False),
        ("Use uv", "agent", False),
        ("`make x` needs Docker", "observed", False),
        ("All 66 tests pass", "stated", True),
    ]
    again = store(user, None, capture(learning()))
    known = Learning.objects.get(content=CONTENT)
    assert (again.stored, again.known, known.seen_count, known.pinned) == (0, 1, 2, True)
    assert CaptureState.objects.get(context_id="c").last_activity_at == THEN


def make_rows_of_the_second(user: User) -> None:
    """Make a learning that a person pinned, and the state of its session."""
    old = models_of("0002_learning_pinned")
    text = {
        "type": "learning",
        "content": CONTENT,
        "identity": digest_of(CONTENT),
        "content_digest": text_digest(CONTENT),
    }
    seen = {"first_seen": THEN, "last_seen": THEN, "confidence": 0.9, "pinned": True}
    old.get_model("capture", "Learning").objects.create(user_id=user.pk, **text, **seen)
    state = {"context_id": "c", "last_captured_at": THEN, "user_id": user.pk}
    old.get_model("capture", "CaptureState").objects.create(**state)


def make_rows_of_the_fourth(user: User) -> None:
    """Make a learning that a person wrote, one that was observed, and a report."""
    rows = models_of("0004_learningsource_message_time").get_model("capture", "Learning").objects
    seen = {"type": "learning", "confidence": 0.9, "first_seen": THEN, "last_seen": THEN, "user_id": user.pk}
    rows.create(content="Use uv", by_hand_at=THEN, **seen)
    rows.create(content="`make x` needs Docker", reasons=["seen in the output of commands"], **seen)
    rows.create(content="All 66 tests pass", reasons=["says why"], **seen)


def models_of(migration: str) -> Any:
    """Return the models as they were after a migration of capture's."""
    return MigrationExecutor(connection).loader.project_state([("capture", migration)]).apps
