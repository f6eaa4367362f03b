"""Learnings that the agent takes back are hidden, unless somebody else says them too or a person has decided."""

from __future__ import annotations

from typing import Any

import pytest

from capture import curation
from capture.models import Learning, LearningChange
from capture.sink import store, store_by_hand
from capture.statements.withdrawals import Withdrawal
from memoryserver.accounts.models import User
from obslog.models import Observation
from tests.capture.test_sink import CONTENT, capture, learning

WITHDRAWAL = Withdrawal("learning", CONTENT, 45)


def withdrawal(number: int = 2, **changes: Any) -> Any:
    return capture(number=number, message_range=(51, 52), withdrawn=[WITHDRAWAL], **changes)


def is_hidden() -> bool:
    return Learning.objects.get(content=CONTENT).hidden


def test_learning_that_is_taken_back_is_hidden_and_says_so(alice: User) -> None:
    store(alice, None, capture(learning()))
    store(alice, None, withdrawal())

    assert is_hidden()
    change = LearningChange.objects.get()
    assert (change.what, change.made_by) == ("withdrawn", None)
    assert Observation.objects.filter(type="capture.learning_withdrawn").count() == 1


def test_withdrawal_that_is_delivered_again_changes_nothing(alice: User) -> None:
    store(alice, None, capture(learning()))
    store(alice, None, withdrawal())
    store(alice, None, withdrawal())

    assert LearningChange.objects.count() == 1


def test_withdrawal_that_is_delivered_first_counts(alice: User) -> None:
    store(alice, None, withdrawal())
    store(alice, None, capture(learning()))

    assert is_hidden()


def test_learning_that_a_person_shows_again_stays_shown(alice: User) -> None:
    store(alice, None, capture(learning()))
    store(alice, None, withdrawal())
    curation.change(alice, Learning.objects.get().pk, hidden=False)
    store(alice, None, withdrawal())

    assert not is_hidden()


@pytest.mark.parametrize("decided", [{"pinned": True}, {"content": "The export hangs: the backup holds its lock"}])
def test_learning_that_a_person_changed_is_not_hidden(decided: dict[str, Any], alice: User) -> None:
    store(alice, None, capture(learning()))
    curation.change(alice, Learning.objects.get().pk, **decided)
    store(alice, None, withdrawal())

    assert not Learning.objects.get().hidden


def test_learning_that_was_stored_by_hand_is_not_hidden(alice: User) -> None:
    store(alice, None, capture(learning()))
    store_by_hand(alice, None, learning())
    store(alice, None, withdrawal())

    assert not is_hidden()


@pytest.mark.parametrize(
    "other",
    [{"context_id": "claude-code-other", "number": 3}, {"number": 4}],
    ids=["other session", "other message"],
)
def test_learning_that_another_message_says_too_is_not_hidden(other: dict[str, Any], alice: User) -> None:
    store(alice, None, capture(learning()))
    store(alice, None, capture(learning(source_message_index=47), **other))
    store(alice, None, withdrawal())

    assert not is_hidden()


def test_learning_into_which_another_was_merged_is_not_hidden(alice: User) -> None:
    store(alice, None, capture(learning()))
    store(alice, None, capture(learning("The backup holds the lock of the export"), number=3))
    Learning.objects.exclude(content=CONTENT).update(merged_into=Learning.objects.get(content=CONTENT))
    store(alice, None, withdrawal())

    assert not is_hidden()


def test_other_peoples_learning_is_not_hidden(alice: User, bob: User) -> None:
    store(alice, None, capture(learning()))
    store(bob, None, withdrawal())

    assert not is_hidden()
