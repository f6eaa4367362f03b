from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test import TestCase
from django_q.models import OrmQ

from capture import identities, jobs
from capture.curation import set_hidden
from capture.deliveries import IncomingCapture, IncomingLearning, StoreResult
from capture.models import Capture, CaptureState, Learning, LearningIdentity, LearningSource
from capture.sink import store, store_by_hand
from memoryserver.accounts.models import Project, User
from memoryserver.vectors.models import Record
from memoryserver.vectors.store import VectorStoreError
from obslog.models import Observation
from tests.support.database.row_locks import after_waiting_for
from tests.support.rows.factories import UserFactory

CONTENT = "The export hangs because the backup holds its lock"


def learning(content: str = CONTENT, **changes: Any) -> IncomingLearning:
    fields = {"type": "learning", "content": content, "confidence": 0.9, "source_message_index": 45, **changes}
    return IncomingLearning(**fields)


def capture(*learnings: IncomingLearning, number: int = 1, **changes: Any) -> IncomingCapture:
    fields: dict[str, Any] = {
        "capture_id": uuid.UUID(int=number),
        "context_id": "claude-code-7625",
        "captured_at": datetime(2026, 11, 20, 12, number, tzinfo=UTC),
        "message_range": (43, 50),
        "compaction_number": 3,
        "learnings": learnings,
        "metadata": {"agent_kind": "claude-code", "transcript": "/home/dev/t.jsonl"},
        **changes,
    }
    return IncomingCapture(**fields)


def seen() -> tuple[datetime, datetime]:
    row = Learning.objects.get()
    return row.first_seen, row.last_seen


def test_learning_has_the_time_of_its_message_and_not_of_the_scan(alice: User) -> None:
    said = datetime(2025, 7, 3, 9, 0, tzinfo=UTC)
    store(alice, None, capture(learning(time=said)))
    assert seen() == (said, said)

    later = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
    store(alice, None, capture(learning(time=later), number=2))
    store(alice, None, capture(learning(time=said), number=3))
    assert seen() == (said, later)


def test_learning_that_is_dated_in_the_future_or_at_an_unknown_time_has_that_of_its_capture(alice: User) -> None:
    captured = capture().captured_at
    store(alice, None, capture(learning(time=captured + timedelta(days=400))))
    assert seen() == (captured, captured)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"source": "agent"}, "agent"),
        ({"reasons": ["seen in the output of commands"]}, "observed"),
        ({"reasons": ["seen in the output of commands"], "source": "stated"}, "stated"),
        ({}, "stated"),
    ],
    ids=["sent", "derived from the reasons", "sent, whatever the reasons", "of an older client"],
)
def test_source_is_as_sent_or_else_derived(sent: dict[str, Any], expected: str, alice: User) -> None:
    store(alice, None, capture(learning(**sent)))

    assert Learning.objects.get().source == expected


def test_learning_met_again_has_the_better_source_and_the_higher_confidence(alice: User) -> None:
    for number, (source, confidence) in enumerate([("stated", 0.6), ("observed", 0.5), ("stated", 0.8)], 1):
        store(alice, None, capture(learning(source=source, confidence=confidence), number=number))

    row = Learning.objects.get()
    assert (row.source, row.confidence, row.seen_count) == ("observed", 0.8, 3)


def test_status_report_is_marked(alice: User) -> None:
    store(alice, None, capture(learning("All 66 tests pass on the branch"), learning(source_message_index=46)))

    assert dict(Learning.objects.values_list("content", "is_report")) == {
        "All 66 tests pass on the branch": True,
        CONTENT: False,
    }


def test_capture_dated_ahead_counts_from_its_arrival(alice: User) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    store(alice, None, capture(learning(time=ahead), captured_at=ahead))
    assert seen()[0] == Capture.objects.get().received_at


def test_new_learning_is_stored_found_by_its_words_and_given_to_the_job(alice: User, shared_project: Project) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert store(alice, shared_project, capture(learning())) == StoreResult(stored=1, known=0, duplicate=False)

    row = Learning.objects.get()
    assert (row.user, row.project, row.type, row.content) == (alice, shared_project, "learning", CONTENT)
    assert (row.seen_count, row.confidence) == (1, 0.9)
    assert Record.objects.values_list("collection", "key", "text", "embedding").get() == (
        "learnings",
        str(row.pk),
        CONTENT,
        None,
    )
    assert [waiting.name() for waiting in OrmQ.objects.all()] == ["capture.jobs.embed_pending"]


def test_learning_keeps_the_message_it_was_met_in(alice: User) -> None:
    store(alice, None, capture(learning(source_message_uuid="u-45")))

    source = LearningSource.objects.get()
    assert (source.message_index, source.message_uuid) == (45, "u-45")
    assert source.capture.state.context_id == "claude-code-7625"


def test_capture_and_its_context_are_stored_with_what_the_file_says(alice: User, shared_project: Project) -> None:
    sent = capture(learning(), learning("Another thing"), number=7)
    store(alice, shared_project, sent)

    fields = ("capture_id", "captured_at", "first_message_index", "last_message_index", "compaction_number", "metadata")
    row = Capture.objects.get()
    assert [getattr(row, field) for field in fields] == [sent.capture_id, sent.captured_at, 43, 50, 3, sent.metadata]
    state = row.state
    assert (state.user, state.project, state.context_id) == (alice, shared_project, "claude-code-7625")
    assert (state.agent_kind, state.transcript) == ("claude-code", "/home/dev/t.jsonl")
    assert (state.last_activity_at, state.last_captured_at) == (sent.captured_at, sent.captured_at)
    assert (state.last_message_index, state.message_count, state.compaction_count) == (50, 50, 3)
    assert state.learnings_delivered == 2


def test_learning_keeps_why_it_was_taken_and_what_it_is_about(alice: User) -> None:
    about: dict[str, Any] = {"reasons": ["cause named"], "files": ["export.py"], "tools": ["Bash"]}
    store(alice, None, capture(learning(**about)))

    row = Learning.objects.get()
    assert {name: getattr(row, name) for name in about} == about


def test_nothing_of_a_capture_is_kept_where_one_learning_cannot_be_stored(alice: User) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE capture_learning ADD CONSTRAINT too_bad CHECK (content <> 'bad')")

    with pytest.raises(IntegrityError, match="too_bad"):
        store(alice, None, capture(learning(), learning("bad")))

    assert [model.objects.count() for model in (Capture, CaptureState, Learning, Record)] == [0, 0, 0, 0]


@pytest.fixture
def no_bad_record() -> Iterator[None]:
    """A constraint of the table that is written after that of learnings."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE vectors_record ADD CONSTRAINT too_bad CHECK (text <> 'bad')")
    yield
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE vectors_record DROP CONSTRAINT too_bad")


@pytest.mark.django_db(transaction=True)
def test_nothing_is_kept_where_a_learning_by_hand_cannot_be_stored(alice: User, no_bad_record: None) -> None:
    with pytest.raises(VectorStoreError, match="too_bad"):
        store_by_hand(alice, None, learning("bad"))

    assert [model.objects.count() for model in (Learning, LearningIdentity, Record)] == [0, 0, 0]


def test_learning_by_hand_that_is_sent_again_counts_once(alice: User) -> None:
    stated = learning(time=datetime(2026, 11, 20, 12, tzinfo=UTC))
    for one in (stated, stated, learning(time=datetime(2026, 11, 20, 13, tzinfo=UTC))):
        store_by_hand(alice, None, one)

    assert Learning.objects.get().seen_count == 2


def test_same_capture_again_changes_nothing(alice: User) -> None:
    store(alice, None, capture(learning()))

    assert store(alice, None, capture(learning())) == StoreResult(stored=0, known=0, duplicate=True)
    assert (Learning.objects.get().seen_count, Capture.objects.count()) == (1, 1)


def test_same_capture_again_with_a_learning_that_it_did_not_have_brings_that_one_alone(alice: User) -> None:
    store(alice, None, capture(learning()))

    more = capture(learning(), learning("The backup must run after the export", source_message_index=47))

    assert store(alice, None, more) == StoreResult(stored=1, known=0, duplicate=True)
    assert dict(Learning.objects.values_list("content", "seen_count")) == {
        CONTENT: 1,
        "The backup must run after the export": 1,
    }
    assert (LearningSource.objects.count(), Capture.objects.count()) == (2, 1)


def test_same_learning_in_another_capture_is_counted_not_stored(alice: User) -> None:
    store(alice, None, capture(learning(), number=1))

    again = store(alice, None, capture(learning(f"  {CONTENT.upper()} \n"), number=2))

    row = Learning.objects.get()
    assert again == StoreResult(stored=0, known=1, duplicate=False)
    assert row.seen_count == 2
    assert (row.first_seen.minute, row.last_seen.minute) == (1, 2)
    assert LearningSource.objects.count() == 2


def test_other_type_project_or_user_is_another_learning(alice: User, bob: User, shared_project: Project) -> None:
    store(alice, None, capture(learning(), learning(type="gotcha"), number=1))
    store(alice, shared_project, capture(learning(), number=2))
    store(bob, shared_project, capture(learning(), number=3))

    assert Learning.objects.count() == 4


def test_capture_without_learnings_moves_the_state_all_the_same(alice: User) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        store(alice, None, capture())

    state = CaptureState.objects.get()
    assert (state.context_id, state.last_message_index, state.compaction_count) == ("claude-code-7625", 50, 3)
    assert OrmQ.objects.count() == 0


def test_older_capture_that_comes_late_does_not_move_the_state_back(alice: User) -> None:
    store(alice, None, capture(number=2, message_range=(51, 60)))
    store(alice, None, capture(number=1, message_range=(43, 50)))

    assert CaptureState.objects.get().last_message_index == 60


def test_secret_that_an_old_laptop_let_through_is_cut_here(alice: User) -> None:
    secret = "ghp_" + "a1B2" * 9

    store(alice, None, capture(learning(f"The deploy needs the token {secret} in its environment")))

    assert secret not in Learning.objects.get().content


def test_new_learnings_are_told_to_the_log(alice: User) -> None:
    store(alice, None, capture(learning(), learning("Another thing was learned", type="gotcha")))

    told = Observation.objects.get(type="capture.learnings")
    assert (told.user, told.message) == (alice, "2 new learnings from claude-code-7625")
    assert told.data == {"types": ["gotcha", "learning"]}
    scopes = told.scopes.values_list("scope_id", flat=True)
    assert set(scopes) == {"claude-code-7625", str(capture().capture_id)}


def test_hidden_learning_leaves_search_and_capture_does_not_bring_it_back(alice: User) -> None:
    store(alice, None, capture(learning(), number=1))
    jobs.embed_pending()

    assert set_hidden(Learning.objects.all(), hidden=True) == 1
    store(alice, None, capture(learning(), number=2))
    jobs.embed_pending()

    assert Record.objects.count() == 0
    assert (Learning.objects.get().hidden, Learning.objects.get().seen_count) == (True, 2)


def test_learning_shown_again_is_found_again(alice: User) -> None:
    store(alice, None, capture(learning()))
    jobs.embed_pending()
    set_hidden(Learning.objects.all(), hidden=True)

    assert set_hidden(Learning.objects.all(), hidden=False) == 1
    jobs.embed_pending()

    assert Record.objects.exclude(embedding=None).count() == 1


@pytest.mark.parametrize(
    ("time", "seen_at"),
    [
        (datetime(2025, 7, 3, 9, tzinfo=UTC), datetime(2025, 7, 3, 9, tzinfo=UTC)),
        (datetime(2099, 1, 1, tzinfo=UTC), datetime(2026, 11, 20, 12, 1, tzinfo=UTC)),
        (datetime(1970, 1, 1, tzinfo=UTC), datetime(2026, 11, 20, 12, 1, tzinfo=UTC)),
        (None, datetime(2026, 11, 20, 12, 1, tzinfo=UTC)),
    ],
    ids=["old transcript", "clock ahead", "clock never set", "unknown"],
)
def test_learning_has_the_time_of_its_message_unless_that_cannot_be_right(
    alice: User, time: datetime | None, seen_at: datetime
) -> None:
    store(alice, None, capture(learning(time=time)))

    row = Learning.objects.get()
    assert (row.first_seen, row.last_seen, Record.objects.get().created_at) == (seen_at, seen_at, seen_at)
    assert LearningSource.objects.get().message_time == time


def test_capture_dated_ahead_of_its_arrival_is_seen_when_it_arrived(alice: User) -> None:
    store(alice, None, capture(learning(), captured_at=datetime(2099, 1, 1, tzinfo=UTC)))

    row = Capture.objects.get()
    assert Learning.objects.get().last_seen == row.received_at
    assert row.captured_at == datetime(2099, 1, 1, tzinfo=UTC)


@pytest.mark.django_db(transaction=True)
def test_capture_waits_for_a_decision_about_the_users_learnings() -> None:
    alice = UserFactory(username="alice")
    sent = capture(learning())

    result = after_waiting_for(lambda: identities.lock(alice), lambda: store(alice, None, sent))
    assert result == StoreResult(stored=1, known=0, duplicate=False)


@pytest.mark.django_db(transaction=True)
def test_learning_by_hand_waits_for_a_decision_about_the_users_learnings() -> None:
    alice = UserFactory(username="alice")

    row, is_new = after_waiting_for(lambda: identities.lock(alice), lambda: store_by_hand(alice, None, learning()))
    assert (row, is_new) == (Learning.objects.get(), True)


def test_capture_has_the_agent_s_session_and_a_source_its_quotation(alice: User) -> None:
    quote = "I looked.\n- The export hangs because the backup holds its lock.\nkey ghp_" + "a1B2" * 9
    metadata = {"session_id": "0b1c-77", "agent_kind": "claude-code"}
    store(alice, None, capture(learning(quote=quote), metadata=metadata))

    source = LearningSource.objects.get()
    assert source.capture.agent_session == "0b1c-77"
    assert source.quote == quote.partition("key")[0] + "key [redacted:github-token]"


def test_session_id_that_is_longer_than_its_column_is_cut(alice: User) -> None:
    store(alice, None, capture(learning(), metadata={"session_id": "s" * 300}))

    assert Capture.objects.get().agent_session == "s" * 200
