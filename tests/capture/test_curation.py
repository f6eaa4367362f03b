"""What people do to learnings holds, whatever capture brings."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connections
from django.http import Http404

from capture import curation, jobs, learnings, sink
from capture.deliveries import IncomingLearning, StoreResult
from capture.models import Learning, LearningChange, LearningIdentity, LearningSource
from capture.search import SOURCE
from memoryserver.accounts.models import Project, User
from memoryserver.embedding import service
from memoryserver.search import service as searching
from memoryserver.vectors.models import Record
from obslog.models import Observation
from tests.capture.test_sink import CONTENT, capture, learning
from tests.support.rows.factories import ProjectFactory

NEW = "The export hangs because the nightly backup holds the lock of the table"


@pytest.fixture
def theirs(alice: User, shared_project: Project) -> Learning:
    """Bob's, in Alice's project that they share."""
    sink.store(User.objects.get(username="bob"), shared_project, capture(learning()))
    return Learning.objects.get()


@pytest.fixture
def own(alice: User) -> Learning:
    sink.store(alice, None, capture(learning()))
    return Learning.objects.get()


def again(user: User, content: str, number: int, project: Project | None = None) -> StoreResult:
    return sink.store(user, project, capture(learning(content), number=number))


def found(user: User, query: str) -> list[str]:
    answer = searching.search(user, searching.Search(query=query, source=SOURCE.name))
    return [hit.text for hit in answer.hits]


def test_corrected_learning_keeps_its_identity_when_the_old_wording_comes_again(alice: User, own: Learning) -> None:
    curation.change(alice, own.pk, content=NEW)

    assert again(alice, CONTENT.upper(), 2) == StoreResult(stored=0, known=1, duplicate=False)
    assert again(alice, NEW, 3) == StoreResult(stored=0, known=1, duplicate=False)
    row = Learning.objects.get()
    assert (row.content, row.seen_count, row.sources.count()) == (NEW, 3, 3)


def test_correction_keeps_the_original_and_who_changed_it(alice: User, own: Learning) -> None:
    curation.change(alice, own.pk, content=NEW)
    curation.change(alice, own.pk, content="A third wording of the same")
    curation.change(alice, own.pk, content="A third wording of the same")

    assert [(change.what, change.before, change.made_by) for change in LearningChange.objects.order_by("pk")] == [
        ("corrected", CONTENT, alice),
        ("corrected", NEW, alice),
    ]
    assert Observation.objects.filter(type="capture.learning_corrected", user=alice).count() == 2


def test_corrected_learning_is_found_by_its_new_words_at_once_and_embedded_again(alice: User, own: Learning) -> None:
    jobs.embed_pending()
    curation.change(alice, own.pk, content="Zebras are striped for a reason")

    assert found(alice, "zebras") == ["Zebras are striped for a reason"]
    assert found(alice, "backup") == []
    assert Record.objects.get().embedding is None
    assert jobs.embed_pending() == 1
    assert Record.objects.get().embedding is not None


def test_secret_in_a_correction_is_cut(alice: User, own: Learning) -> None:
    secret = "ghp_" + "a1B2" * 9
    curation.change(alice, own.pk, content=f"Deploy with {secret}")

    assert secret not in Learning.objects.get().content


@pytest.mark.parametrize("content", ["", "   ", "<private>all of it</private>", "x" * 4001])
def test_correction_that_leaves_nothing_or_too_much_is_refused(alice: User, own: Learning, content: str) -> None:
    with pytest.raises(ValueError, match="must have from 1 to 4000 characters"):
        curation.change(alice, own.pk, content=content, pinned=True)

    row = Learning.objects.get()
    assert (row.content, row.pinned, LearningChange.objects.count()) == (CONTENT, False, 0)


def test_correction_to_what_another_says_names_that_one(alice: User, own: Learning) -> None:
    again(alice, NEW, 2)

    with pytest.raises(curation.DuplicateLearningError) as raised:
        curation.change(alice, own.pk, content=NEW.upper())

    assert raised.value.learning.content == NEW


def test_pinned_comes_first(alice: User, own: Learning) -> None:
    again(alice, NEW, 2)
    curation.change(alice, own.pk, pinned=True)

    rows = learnings.find(alice, learnings.Filter()).learnings
    assert [(row.content, row.pinned) for row in rows] == [(CONTENT, True), (NEW, False)]


def test_hidden_learning_stays_hidden_and_out_of_search(alice: User, own: Learning) -> None:
    curation.change(alice, own.pk, hidden=True)
    again(alice, CONTENT, 2)
    jobs.embed_pending()

    assert (Learning.objects.get().hidden, Learning.objects.get().seen_count) == (True, 2)
    assert (Record.objects.count(), found(alice, "backup")) == (0, [])


def test_learning_that_is_corrected_while_hidden_is_not_found(alice: User, own: Learning) -> None:
    curation.change(alice, own.pk, hidden=True)
    curation.change(alice, own.pk, content=NEW)

    assert Record.objects.count() == 0


def test_deleted_learning_leaves_only_digests_and_does_not_come_back(alice: User, own: Learning) -> None:
    curation.change(alice, own.pk, content=NEW)
    jobs.embed_pending()
    curation.delete(alice, own.pk)

    for number, content in enumerate((CONTENT, NEW), start=2):
        assert again(alice, content, number) == StoreResult(stored=0, known=1, duplicate=False)
    jobs.embed_pending()
    assert (Learning.objects.count(), LearningSource.objects.count(), Record.objects.count()) == (0, 0, 0)
    assert [(row.learning, row.user) for row in LearningIdentity.objects.all()] == [(None, alice)] * 2
    assert CONTENT not in str(list(Observation.objects.filter(type="capture.learning_deleted").values()))


def test_deleted_is_deleted_for_its_user_project_and_type_alone(alice: User, charlie: User, own: Learning) -> None:
    curation.delete(alice, own.pk)

    assert again(alice, CONTENT, 2, ProjectFactory(owner=alice)).stored == 1
    assert again(charlie, CONTENT, 3).stored == 1
    assert sink.store(alice, None, capture(learning(type="gotcha"), number=4)).stored == 1


def test_learning_deleted_while_it_is_embedded_does_not_come_back(
    alice: User, own: Learning, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = service()
    embed = model.embed_batch

    def slow(texts: Any) -> Any:
        curation.delete(alice, own.pk)
        return embed(texts)

    monkeypatch.setattr(model, "embed_batch", slow)
    jobs.embed_pending()

    assert (Learning.objects.count(), Record.objects.count()) == (0, 0)


def test_learning_corrected_while_it_is_embedded_gets_the_vector_of_its_new_words(
    alice: User, own: Learning, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = service()
    embed = model.embed_batch

    def slow(texts: Any) -> Any:
        monkeypatch.setattr(model, "embed_batch", embed)
        curation.change(alice, own.pk, content=NEW)
        return embed(texts)

    monkeypatch.setattr(model, "embed_batch", slow)
    jobs.embed_pending()
    jobs.embed_pending()

    record = Record.objects.get()
    assert (record.text, [round(number, 5) for number in record.embedding]) == (
        NEW,
        [round(number, 5) for number in model.embed(NEW)],
    )


def test_owner_of_the_project_may_do_all_but_delete(alice: User, theirs: Learning) -> None:
    changed = curation.change(alice, theirs.pk, content=NEW, pinned=True, hidden=True)

    assert (changed.content, changed.pinned, changed.hidden) == (NEW, True, True)
    with pytest.raises(PermissionDenied):
        curation.delete(alice, theirs.pk)


def test_team_mate_reads_and_changes_nothing(alice: User, bob: User, shared_project: Project) -> None:
    sink.store(alice, shared_project, capture(learning()))
    row = Learning.objects.get()

    assert learnings.get(bob, row.pk) == row
    for attempt in ({"content": NEW}, {"pinned": True}, {"hidden": True}):
        with pytest.raises(PermissionDenied):
            curation.change(bob, row.pk, **attempt)
    with pytest.raises(PermissionDenied):
        curation.delete(bob, row.pk)
    row.refresh_from_db()
    assert (row.content, row.pinned, row.hidden) == (CONTENT, False, False)


def test_stranger_does_not_see_it(charlie: User, theirs: Learning) -> None:
    for attempt in (
        lambda: learnings.get(charlie, theirs.pk),
        lambda: curation.change(charlie, theirs.pk, pinned=True),
        lambda: curation.delete(charlie, theirs.pk),
    ):
        with pytest.raises(Http404):
            attempt()


def test_hidden_learning_is_hidden_from_team_mates(alice: User, bob: User, shared_project: Project) -> None:
    sink.store(alice, shared_project, capture(learning()))
    row = Learning.objects.get()
    curation.change(alice, row.pk, hidden=True)

    everything = learnings.Filter(state="all")
    assert [len(learnings.find(user, everything).learnings) for user in (alice, bob)] == [1, 0]
    with pytest.raises(Http404):
        learnings.get(bob, row.pk)


def test_stored_by_hand_is_redacted_known_again_and_told(alice: User) -> None:
    said = IncomingLearning("convention", f"Use pnpm, never npm, with {'ghp_' + 'a1B2' * 9}", 1.0, 0)
    first, new = sink.store_by_hand(alice, None, said)
    same, again_new = sink.store_by_hand(alice, None, said)

    assert (first, new, again_new) == (same, True, False)
    row = Learning.objects.get()
    assert (row.seen_count, row.by_hand_at is not None, "ghp_" in row.content) == (2, True, False)
    assert Observation.objects.filter(type="capture.stored_by_hand").count() == 1
    assert len(found(alice, "pnpm")) == 1


def test_what_was_captured_and_is_stored_by_hand_is_one(alice: User, own: Learning) -> None:
    row, new = sink.store_by_hand(alice, None, IncomingLearning("learning", CONTENT, 1.0, 0))

    assert (row, new) == (own, False)
    assert Learning.objects.get().by_hand_at is not None


def test_storing_by_hand_brings_back_neither_hidden_nor_deleted(alice: User, own: Learning) -> None:
    said = IncomingLearning("learning", CONTENT, 1.0, 0)
    curation.change(alice, own.pk, hidden=True)
    row, _ = sink.store_by_hand(alice, None, said)
    assert row is not None
    assert row.hidden

    curation.delete(alice, own.pk)
    assert sink.store_by_hand(alice, None, said) == (None, False)


def test_captures_and_a_deletion_that_meet_never_leave_it_there(transactional_db: None) -> None:
    """Whichever is first: in the end it is gone, and nobody is told of an error."""
    user = User.objects.create_user("dora")
    sink.store(user, None, capture(learning()))
    key = Learning.objects.get().pk
    errors: list[Exception] = []

    def work(do: Any) -> None:
        try:
            do()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test shows it
            errors.append(error)
        finally:
            connections.close_all()

    doings: list[Any] = [partial(again, user, CONTENT, number) for number in range(2, 6)]
    doings.insert(2, partial(curation.delete, user, key))
    threads = [threading.Thread(target=work, args=[do]) for do in doings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (errors, Learning.objects.count()) == ([], 0)


def test_project_that_is_deleted_leaves_its_learnings_even_where_two_are_alike(alice: User) -> None:
    project = ProjectFactory(owner=alice)
    again(alice, CONTENT, 1)
    again(alice, CONTENT, 2, project)

    project.delete()

    assert Learning.objects.filter(project=None).count() == 2
