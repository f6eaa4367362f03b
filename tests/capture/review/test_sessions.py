"""The learnings of an agent's session."""

from __future__ import annotations

from datetime import UTC, datetime

from capture import curation
from capture.models import Learning
from capture.review.sessions import learnings_of
from capture.sink import store
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import capture, learning

SAID = datetime(2026, 11, 20, 11, tzinfo=UTC)
METADATA = {"session_id": "s-1"}


def test_learnings_lie_at_their_first_message_and_hidden_ones_are_left_out(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    said = [
        learning("The export hangs because the backup holds its lock", time=SAID, source_message_index=44),
        learning("The cache must be emptied before the import runs", time=SAID.replace(hour=9)),
        learning("Tests need DATABASE_URL to be set in this shell", time=SAID.replace(hour=10)),
    ]
    store(alice, shared_project, capture(*said, metadata=METADATA))
    store(alice, shared_project, capture(said[0], number=2, metadata=METADATA))
    store(alice, shared_project, capture(learning("Another session said this one here"), number=3))
    curation.change(alice, Learning.objects.get(content__startswith="Tests need").pk, hidden=True)

    found = [(item.title[:9], item.start) for item in learnings_of(bob, alice, "s-1")]

    assert found == [("The cache", SAID.replace(hour=9)), ("The expor", SAID)]
    assert learnings_of(charlie, alice, "s-1") == []
