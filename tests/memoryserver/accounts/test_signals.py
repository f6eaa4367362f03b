"""When the signals of tokens are sent; a receiver may refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.dispatch import Signal

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from memoryserver.accounts.signals import token_issued, token_revoked


@contextmanager
def connected(signal: Signal, receiver: Callable[..., None]) -> Iterator[None]:
    signal.connect(receiver)
    try:
        yield
    finally:
        signal.disconnect(receiver)


def refuse(**arguments: Any) -> None:
    raise ValueError("the audit log is full")


def test_issued_token_is_announced_once_it_is_stored(alice: User) -> None:
    received: list[tuple[Any, Any, bool]] = []

    def receive(sender: Any, token: ApiToken, **arguments: Any) -> None:
        received.append((sender, token, ApiToken.objects.filter(pk=token.pk).exists()))

    with connected(token_issued, receive):
        token, _ = tokens.issue(alice, "laptop")

    assert received == [(ApiToken, token, True)]


def test_revoked_token_is_announced_the_first_time_alone(alice: User) -> None:
    token, _ = tokens.issue(alice, "laptop")
    received: list[tuple[Any, Any, bool]] = []

    def receive(sender: Any, token: ApiToken, **arguments: Any) -> None:
        received.append((sender, token, ApiToken.objects.get(pk=token.pk).revoked_at is not None))

    with connected(token_revoked, receive):
        tokens.revoke(token)
        tokens.revoke(token)

    assert received == [(ApiToken, token, True)]


def test_token_that_a_receiver_refuses_is_not_issued(alice: User) -> None:
    with connected(token_issued, refuse), pytest.raises(ValueError, match="the audit log is full"):
        tokens.issue(alice, "laptop")

    assert ApiToken.objects.count() == 0


def test_token_whose_revocation_a_receiver_refuses_is_still_valid(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")

    with connected(token_revoked, refuse), pytest.raises(ValueError, match="the audit log is full"):
        tokens.revoke(token)

    assert tokens.authenticate(text) == token
