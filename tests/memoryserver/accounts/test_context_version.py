"""The version of contexts is counted up for those who can see what has changed, and every answer has it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from capture import curation, sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from memoryserver.accounts import context_version
from memoryserver.accounts.models import Project, User

Api = Callable[[User | None], Client]
HEADER = "X-Memoryserver-Context-Version"


def keep(user: User, content: str) -> Learning:
    learning, _ = sink.store_by_hand(user, None, IncomingLearning("learning", content, 1.0, 0))
    assert learning is not None
    return learning


def versions(*users: User) -> list[int]:
    return [User.objects.get(pk=user.pk).context_version for user in users]


def test_owner_and_team_get_a_new_version_and_strangers_do_not(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    context_version.advance(alice, shared_project)
    assert versions(alice, bob, charlie) == [1, 1, 0]
    context_version.advance(alice, None)
    assert versions(alice, bob, charlie) == [2, 1, 0]


def test_every_answer_to_a_token_has_its_users_version(alice: User, api: Api) -> None:
    context_version.advance(alice, None)
    requests = [(alice, "/api/v1/whoami"), (alice, "/api/v1/search?limit=x"), (None, "/api/v1/whoami")]
    answers = [api(user).get(path) for user, path in requests]
    assert [(answer.status_code, answer.headers.get(HEADER)) for answer in answers] == [
        (200, "1"),
        (422, "1"),
        (401, None),
    ]


@pytest.mark.parametrize("what", ["delete", "hide", "correct"])
def test_what_people_take_out_of_a_learning_gives_a_new_version(what: str, alice: User, bob: User) -> None:
    learning = keep(alice, "The cache must be emptied before a load.")
    before = versions(alice, bob)
    if what == "delete":
        curation.delete(alice, learning.pk)
    elif what == "hide":
        curation.change(alice, learning.pk, hidden=True)
    else:
        curation.change(alice, learning.pk, content="The cache is emptied by the load.")
    assert (before, versions(alice, bob)) == ([0, 0], [1, 0])


def test_pinning_a_learning_keeps_the_version(alice: User) -> None:
    learning = keep(alice, "The cache must be emptied before a load.")
    curation.change(alice, learning.pk, pinned=True)
    assert versions(alice) == [0]
    assert Learning.objects.get(pk=learning.pk).pinned
