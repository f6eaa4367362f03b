"""Delivery of what waits on the laptop to the server: batches, and what each answer means for their items.

One table for every channel (`verdict`):

    401, 403               stop: the token is refused, and no other batch is accepted either
    413, 422               the content is refused: the batch is halved until the item at fault is alone; that one is
                           set aside in the channel's `failed/`, with the reason beside it
    any other status,      later: everything waits, and nothing is set aside; these statuses (404 of a proxy, 408, 409,
    no answer, an answer   429, 5xx) do not judge the content
    that is not understood

The answer to an accepted batch may refuse single items; these are set aside too. A channel (`Channel`) knows where its
items wait, how they are put into a request, and how an item is confirmed or set aside; nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any, Generic, Protocol, TypeVar

from memoryserver.client.http import RefusedError, ServerError, UnauthorizedError, UnreachableError

Post = Callable[[str, object], Any]
Origin = TypeVar("Origin")

ACCEPTED = ("stored", "unchanged")
_CONTENT_REFUSED = (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY)


class Verdict(Enum):
    """What an error of the server means for the items of a batch."""

    STOP = "stop"
    LATER = "later"
    REFUSED = "refused"


class UnexpectedAnswerError(ServerError):
    """An accepted request was answered with something that does not say what became of each item."""


@dataclass(frozen=True)
class Item(Generic[Origin]):
    """Something to send: its id, its content, about how many bytes it has, and where it came from.

    Only items of one `group` share a request.
    """

    id: str
    content: Any
    size: int
    origin: Origin
    group: object = None


class Channel(Protocol[Origin]):
    """One kind of item that leaves the laptop. A request holds at most `max_items` and `max_bytes`."""

    @property
    def path(self) -> str:
        """The path of the API that accepts the items."""

    @property
    def max_items(self) -> int: ...

    @property
    def max_bytes(self) -> int: ...

    def waiting(self) -> Iterator[Item[Origin]]:
        """Yield the items that wait, oldest first. Later items may be read before earlier ones are settled."""

    def body(self, items: Sequence[Item[Origin]]) -> object:
        """Return the body of the request with `items`, which are at least one and of one group."""

    def reasons(self, answer: Any, items: Sequence[Item[Origin]]) -> list[str | None]:
        """Return for each item why `answer` refuses it, or None. Raises UnexpectedAnswerError."""

    def settle(self, outcomes: Sequence[tuple[Item[Origin], str | None]]) -> None:
        """Remove the items from what waits, in order, those with a reason into `failed/`. Raises OSError."""


@dataclass
class Report:
    """What a delivery did: items that the server accepted, items set aside now with the last reason.

    `later` says why the rest waits, empty if nothing does; `unreachable` whether the server as a whole cannot be
    reached; `retry_after` how many seconds it asked to wait.
    """

    sent: int = 0
    failed: int = 0
    reason: str = ""
    later: str = ""
    unreachable: bool = False
    retry_after: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether everything was accepted."""
        return not self.failed and not self.later


def verdict(error: ServerError) -> Verdict:
    """Return what `error` means for what was sent."""
    if isinstance(error, UnauthorizedError):
        return Verdict.STOP
    if isinstance(error, RefusedError) and error.status in _CONTENT_REFUSED:
        return Verdict.REFUSED
    return Verdict.LATER


def deliver(channel: Channel[Origin], post: Post, report: Report | None = None) -> Report:
    """Send what waits in `channel` with `post` (Client.post), until all is sent or an answer means "later".

    Adds to `report` if one is given. Raises UnauthorizedError, OSError and what the channel's methods raise.
    """
    report = report or Report()
    try:
        for batch in _batches(channel):
            for outcomes in _send(channel, batch, post):
                channel.settle(outcomes)
                _count(report, outcomes)
    except UnauthorizedError:
        raise
    except ServerError as error:
        report.later = str(error)
        report.unreachable = isinstance(error, UnreachableError)
        report.retry_after = error.retry_after
    return report


def results(answer: Any, ids: Sequence[str | None]) -> list[str | None]:
    """Return the reasons of an answer {"results": [{"id", "status", "reason"}, ...]}, one result for each of `ids`.

    Raises UnexpectedAnswerError where one is missing, is about another id or has an unknown status. An id is not
    compared where either side names none.
    """
    entries = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(entries, list) or len(entries) != len(ids):
        raise UnexpectedAnswerError("the answer does not give a result for each item; is it a memoryserver?")
    return [_reason(entry, item_id) for entry, item_id in zip(entries, ids, strict=True)]


def _reason(entry: Any, item_id: str | None) -> str | None:
    status = entry.get("status") if isinstance(entry, dict) else None
    if status not in (*ACCEPTED, "refused") or (item_id and entry.get("id") not in (item_id, None)):
        raise UnexpectedAnswerError(f"the answer about {item_id} is not understood; do the versions fit?")
    return str(entry.get("reason") or "no reason given") if status == "refused" else None


def _send(
    channel: Channel[Origin], batch: list[Item[Origin]], post: Post
) -> Iterator[list[tuple[Item[Origin], str | None]]]:
    """Yield what became of the items, in order; a batch that is refused is halved down to the item at fault."""
    try:
        reasons = channel.reasons(post(channel.path, channel.body(batch)), batch)
    except ServerError as error:
        if verdict(error) is not Verdict.REFUSED:
            raise
        if len(batch) > 1:
            middle = len(batch) // 2
            yield from _send(channel, batch[:middle], post)
            yield from _send(channel, batch[middle:], post)
            return
        reasons = [str(error)]
    yield list(zip(batch, reasons, strict=True))


def _batches(channel: Channel[Origin]) -> Iterator[list[Item[Origin]]]:
    batch: list[Item[Origin]] = []
    size = 0
    for item in channel.waiting():
        full = len(batch) == channel.max_items or size + item.size > channel.max_bytes
        if batch and (full or item.group != batch[0].group):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.size
    if batch:
        yield batch


def _count(report: Report, outcomes: Sequence[tuple[Item[Any], str | None]]) -> None:
    for _, reason in outcomes:
        if reason is None:
            report.sent += 1
        else:
            report.failed += 1
            report.reason = reason
