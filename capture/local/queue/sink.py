"""Sinks, which store queue files: the protocol, and the sink that posts them to the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from memoryserver.client.delivery import Verdict, verdict
from memoryserver.client.http import Client, ServerError

PATH = "/capture/queue-files"


class SinkUnavailableError(Exception):
    """The sink could not store the file now; the same file may be stored later.

    `retry_after` is how many seconds the sink asked to wait, 0 if it did not.
    """

    def __init__(self, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class SinkRefusedError(Exception):
    """The sink will never store this file."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The sink's confirmation that it holds a capture: how many learnings were new and how many it had.

    `duplicate`: the capture was sent before; only its missing learnings were stored.
    """

    capture_id: str
    stored: int = 0
    known: int = 0
    duplicate: bool = False


class Sink(Protocol):
    """Stores queue files, each once, however often it is sent."""

    def store(self, content: dict[str, Any]) -> Receipt:
        """Store the content of a queue file; when this returns it is stored permanently.

        Raises SinkRefusedError for a file that cannot be stored, SinkUnavailableError for anything else.
        """


class HttpsSink:
    """The server, by its API."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def store(self, content: dict[str, Any]) -> Receipt:
        """Post it; `delivery.verdict` decides what an error means for the file."""
        try:
            response = self._client.post(PATH, content)
        except ServerError as error:
            if verdict(error) is Verdict.REFUSED:
                raise SinkRefusedError(str(error)) from error
            raise SinkUnavailableError(str(error), error.retry_after) from error
        return _receipt(response)


class ClosedSink:
    """Stores nothing, for the reason given, such as that nobody is logged in."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def store(self, content: dict[str, Any]) -> Receipt:
        """Raise SinkUnavailableError."""
        raise SinkUnavailableError(self._reason)


def _receipt(response: object) -> Receipt:
    """Return the receipt; an answer that does not name the capture confirms nothing."""
    if not isinstance(response, dict) or not isinstance(response.get("capture_id"), str):
        raise SinkUnavailableError(f"the server's answer does not confirm the capture: {str(response)[:200]}")
    counts = {name: response[name] for name in ("stored", "known") if isinstance(response.get(name), int)}
    return Receipt(response["capture_id"], duplicate=response.get("duplicate") is True, **counts)
