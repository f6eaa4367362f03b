"""The outbox emptied in batches."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memoryserver.client.http import RefusedError, UnreachableError
from memoryserver.client.outbox import Delivery, Outbox


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    outbox = Outbox(tmp_path, "things")
    for number in range(7):
        outbox.put(str(number), number)
    return outbox


class Server:
    """Takes batches; refuses some contents by name, and whole batches that hold a `poison`."""

    def __init__(self, *, bad: Sequence[int] = (), poison: Sequence[int] = ()) -> None:
        self.batches: list[list[Any]] = []
        self._bad, self._poison = bad, poison

    def __call__(self, contents: Sequence[Any]) -> list[str | None]:
        self.batches.append(list(contents))
        if set(contents) & set(self._poison):
            raise RefusedError("refused (400): no JSON", 400, {})
        return [f"{content} is bad" if content in self._bad else None for content in contents]


def waiting(outbox: Outbox) -> list[str]:
    return [path.stem for path in outbox.waiting()]


def test_batches_have_at_most_so_many_and_nothing_is_left(outbox: Outbox) -> None:
    server = Server()

    assert outbox.deliver_batches(server, size=3) == Delivery(sent=7)
    assert (server.batches, waiting(outbox)) == ([[0, 1, 2], [3, 4, 5], [6]], [])


def test_batches_have_at_most_so_many_bytes(outbox: Outbox) -> None:
    outbox.put("5", "x" * 100)
    server = Server()

    outbox.deliver_batches(server, size=500, max_bytes=4)

    assert server.batches == [[0, 1, 2, 3], [4], ["x" * 100], [6]]


def test_refused_ones_are_set_aside_each_with_its_reason(outbox: Outbox) -> None:
    assert outbox.deliver_batches(Server(bad=[1, 5]), size=4) == Delivery(sent=5, refused=2)
    assert (outbox.why_refused("1"), outbox.why_refused("5"), outbox.why_refused("2")) == ("1 is bad", "5 is bad", None)


@pytest.mark.parametrize("poison", [[0], [3], [6], [0, 6], [2, 3, 4]])
def test_those_that_break_their_batch_are_found_and_all_others_sent(outbox: Outbox, poison: list[int]) -> None:
    done = outbox.deliver_batches(Server(poison=poison), size=7)

    assert done == Delivery(sent=7 - len(poison), refused=len(poison))
    assert [number for number in range(7) if outbox.why_refused(str(number))] == poison


def test_what_was_sent_before_the_server_went_away_is_gone(outbox: Outbox) -> None:
    def post(contents: Sequence[Any]) -> list[str | None]:
        if 3 in contents:
            raise UnreachableError("offline")
        return [None for _ in contents]

    with pytest.raises(UnreachableError):
        outbox.deliver_batches(post, size=3)

    assert waiting(outbox) == ["3", "4", "5", "6"]


@pytest.mark.parametrize("status", [401, 403])
def test_refused_token_sets_nothing_aside(outbox: Outbox, status: int) -> None:
    def post(contents: Sequence[Any]) -> list[str | None]:
        raise RefusedError("refused", status, {})

    with pytest.raises(RefusedError):
        outbox.deliver_batches(post, size=3)

    assert len(waiting(outbox)) == 7


def test_what_was_set_aside_can_be_put_back(outbox: Outbox, tmp_path: Path) -> None:
    outbox.deliver_batches(Server(bad=[2]), size=7)
    outbox.put_back()

    assert waiting(outbox) == ["2"]
    assert json.loads((tmp_path / "outbox/things/2.json").read_text()) == 2
    assert outbox.why_refused("2") is None


def test_two_that_deliver_at_once_do_not_stumble_over_each_other(outbox: Outbox) -> None:
    """While the one waits for the server's word, another has delivered all of it."""
    other = Server(bad=[1])

    def post(contents: Sequence[Any]) -> list[str | None]:
        if outbox.waiting():
            outbox.deliver_batches(other, size=7)
        return other(contents)

    outbox.deliver_batches(post, size=7)

    assert waiting(outbox) == []
    assert outbox.why_refused("1") == "1 is bad"
