"""Batches, bisection and verdicts, on a channel that keeps its items in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from memoryserver.client import delivery
from memoryserver.client.delivery import Item, Report, UnexpectedAnswerError, Verdict, verdict
from memoryserver.client.http import RefusedError, ServerError, UnauthorizedError, UnreachableError


class Numbers:
    """A channel of numbers; the group of a number is its tens digit where `grouped`."""

    path = "/numbers"

    def __init__(self, *numbers: int, size: int = 100, max_bytes: int = 1000, grouped: bool = False) -> None:
        self.left = list(numbers)
        self.max_items = size
        self.max_bytes = max_bytes
        self.failed: dict[int, str] = {}
        self._grouped = grouped

    def waiting(self) -> Iterator[Item[None]]:
        for number in list(self.left):
            yield Item(str(number), number, len(str(number)), None, number // 10 if self._grouped else None)

    def body(self, items: Sequence[Item[None]]) -> object:
        return [item.content for item in items]

    def reasons(self, answer: Any, items: Sequence[Item[None]]) -> list[str | None]:
        return delivery.results(answer, [item.id for item in items])

    def settle(self, outcomes: Sequence[tuple[Item[None], str | None]]) -> None:
        for item, reason in outcomes:
            self.left.remove(item.content)
            if reason is not None:
                self.failed[item.content] = reason


class Server:
    """Accepts batches; refuses `bad` numbers by name and whole batches with a number in `poison`."""

    def __init__(self, *, bad: Sequence[int] = (), poison: Sequence[int] = (), status: int = 422) -> None:
        self.batches: list[list[int]] = []
        self._bad, self._poison, self._status = bad, poison, status

    def __call__(self, path: str, numbers: Any) -> Any:
        assert path == "/numbers"
        self.batches.append(numbers)
        if set(numbers) & set(self._poison):
            raise RefusedError(f"refused ({self._status})", self._status, {})
        return {"results": [self._result(number) for number in numbers]}

    def _result(self, number: int) -> dict[str, str]:
        if number in self._bad:
            return {"id": str(number), "status": "refused", "reason": f"{number} is bad"}
        return {"id": str(number), "status": "stored"}


@pytest.mark.parametrize("status", [401, 403])
def test_refused_token_means_stop(status: int) -> None:
    assert verdict(UnauthorizedError("", status, {})) is Verdict.STOP


@pytest.mark.parametrize("status", [413, 422])
def test_refused_content_is_the_only_refusal(status: int) -> None:
    assert verdict(RefusedError("", status, {})) is Verdict.REFUSED


@pytest.mark.parametrize(
    "error",
    [
        *(RefusedError("", status, {}) for status in (400, 404, 405, 406, 408, 409, 410, 411, 415, 421, 423, 431, 451)),
        UnreachableError(""),
        UnexpectedAnswerError(""),
        ServerError(""),
    ],
    ids=lambda error: f"{type(error).__name__}-{getattr(error, 'status', '')}",
)
def test_everything_else_means_later(error: ServerError) -> None:
    assert verdict(error) is Verdict.LATER


def test_batches_are_bounded_in_items() -> None:
    channel, server = Numbers(*range(7), size=3), Server()

    assert delivery.deliver(channel, server) == Report(sent=7)
    assert (server.batches, channel.left) == ([[0, 1, 2], [3, 4, 5], [6]], [])


@pytest.mark.parametrize("max_bytes", [2, 3, 5])
def test_batches_are_bounded_in_bytes_and_a_large_item_goes_alone(max_bytes: int) -> None:
    channel, server = Numbers(1, 2, 12345, 34, max_bytes=max_bytes), Server()

    delivery.deliver(channel, server)

    assert server.batches == [[1, 2], [12345], [34]]


@pytest.mark.parametrize(("max_bytes", "batches"), [(1, [[1], [2], [3], [4], [5]]), (2, [[1, 2], [3, 4], [5]])])
def test_each_batch_is_filled_to_its_bound(max_bytes: int, batches: list[list[int]]) -> None:
    server = Server()

    delivery.deliver(Numbers(1, 2, 3, 4, 5, max_bytes=max_bytes), server)

    assert server.batches == batches


def test_channel_that_judges_fewer_items_than_were_sent_settles_none() -> None:
    class Forgetful(Numbers):
        def reasons(self, answer: Any, items: Sequence[Item[None]]) -> list[str | None]:
            return [None]

    channel = Forgetful(1, 2)
    with pytest.raises(ValueError, match="zip"):
        delivery.deliver(channel, Server())
    assert channel.left == [1, 2]


def test_items_of_two_groups_do_not_share_a_request() -> None:
    channel, server = Numbers(1, 2, 11, 12, 3, grouped=True), Server()

    delivery.deliver(channel, server)

    assert server.batches == [[1, 2], [11, 12], [3]]


def test_nothing_is_posted_without_items() -> None:
    server = Server()

    assert delivery.deliver(Numbers(), server) == Report()
    assert server.batches == []


def test_items_refused_by_name_are_set_aside_and_the_others_sent() -> None:
    channel = Numbers(*range(6), size=4)

    assert delivery.deliver(channel, Server(bad=[1, 5])) == Report(sent=4, failed=2, reason="5 is bad")
    assert (channel.left, channel.failed) == ([], {1: "1 is bad", 5: "5 is bad"})


@pytest.mark.parametrize("status", [413, 422])
@pytest.mark.parametrize("poison", [[0], [3], [6], [0, 6], [2, 3, 4], list(range(7))])
def test_items_that_break_their_batch_are_found_and_all_others_sent(poison: list[int], status: int) -> None:
    channel = Numbers(*range(7))

    report = delivery.deliver(channel, Server(poison=poison, status=status))

    assert (report.sent, report.failed, channel.left) == (7 - len(poison), len(poison), [])
    assert channel.failed == dict.fromkeys(poison, f"refused ({status})")


def test_halves_are_tried_in_order() -> None:
    server = Server(poison=[3])

    delivery.deliver(Numbers(*range(8)), server)

    assert [len(batch) for batch in server.batches] == [8, 4, 2, 2, 1, 1, 4]


@pytest.mark.parametrize(
    "error", [UnreachableError("away"), RefusedError("away", 404, {}), UnexpectedAnswerError("away")]
)
def test_batches_before_the_server_went_away_are_settled_and_the_rest_waits(error: ServerError) -> None:
    channel = Numbers(*range(7), size=3)

    def post(path: str, numbers: Any) -> Any:
        if 3 in numbers:
            raise error
        return Server()(path, numbers)

    error.retry_after = 7.0
    report = delivery.deliver(channel, post)

    assert (report.sent, report.later, report.retry_after) == (3, "away", 7.0)
    assert report.unreachable is isinstance(error, UnreachableError)
    assert (channel.left, channel.failed, report.complete) == ([3, 4, 5, 6], {}, False)


def test_half_that_must_wait_keeps_waiting_while_the_other_was_settled() -> None:
    channel, server = Numbers(*range(4)), Server(poison=[0])

    def post(path: str, numbers: Any) -> Any:
        if numbers == [2, 3]:
            raise UnreachableError("away")
        return server(path, numbers)

    report = delivery.deliver(channel, post)

    assert (report.sent, report.failed, channel.left) == (1, 1, [2, 3])


def test_refused_token_is_raised_and_everything_waits() -> None:
    channel = Numbers(1, 2)

    def post(path: str, numbers: Any) -> Any:
        raise UnauthorizedError("refused (401)", 401, {})

    with pytest.raises(UnauthorizedError):
        delivery.deliver(channel, post)
    assert channel.left == [1, 2]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "ok",
        {},
        {"results": None},
        {"results": []},
        {"results": ["stored"]},
        {"results": [{"id": "1", "status": "maybe"}]},
        {"results": [{"id": "2", "status": "stored"}]},
        {"results": [{"id": "1", "status": "stored"}, {"id": "2", "status": "stored"}]},
    ],
)
def test_answer_that_does_not_give_each_result_moves_nothing(answer: object) -> None:
    channel = Numbers(1)

    assert delivery.deliver(channel, lambda *_: answer).later
    assert (channel.left, channel.failed) == ([1], {})


def test_result_without_an_id_is_taken_by_its_place() -> None:
    answer = {"results": [{"status": "unchanged"}, {"id": None, "status": "refused"}]}

    assert delivery.results(answer, ["1", "2"]) == [None, "no reason given"]
