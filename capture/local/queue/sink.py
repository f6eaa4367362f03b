"""Where queue files go: what every sink promises, and the one that posts them to the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from memoryserver.client.http import Client, RefusedError, UnreachableError

PATH = "/capture/queue-files"
_LATER = frozenset({401, 403, 408, 409})  # statuses that say nothing against the file itself


class SinkUnavailableError(Exception):
    """The sink could not take the file now; the same file may well be taken later."""


class SinkRefusedError(Exception):
    """The sink will never take this file."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The sink's word that it holds a capture: how many learnings were new there and how many known.

    `duplicate`: the capture had come before; only what it did not have then was stored.
    """

    capture_id: str
    stored: int = 0
    known: int = 0
    duplicate: bool = False


class Sink(Protocol):
    """Stores queue files, each once, however often it comes."""

    def store(self, content: dict[str, Any]) -> Receipt:
        """Store the content of a queue file; when this returns it is kept for good.

        Raises SinkRefusedError for what can never be stored, SinkUnavailableError for anything else.
        """


class HttpsSink:
    """The server, by its API."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def store(self, content: dict[str, Any]) -> Receipt:
        """POST it; refused for good is any 4xx but those about the token, a timeout or a conflict."""
        try:
            answer = self._client.post(PATH, content)
        except UnreachableError as error:
            raise SinkUnavailableError(str(error)) from error
        except RefusedError as error:
            if error.status in _LATER:
                raise SinkUnavailableError(str(error)) from error
            raise SinkRefusedError(str(error)) from error
        return _receipt(answer)


class ClosedSink:
    """Takes nothing, for the reason given: nobody is logged in, say."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def store(self, content: dict[str, Any]) -> Receipt:
        """Raises SinkUnavailableError."""
        raise SinkUnavailableError(self._reason)


def _receipt(answer: object) -> Receipt:
    """An answer that does not name the capture confirms nothing."""
    if not isinstance(answer, dict) or not isinstance(answer.get("capture_id"), str):
        raise SinkUnavailableError(f"the server's answer does not confirm the capture: {str(answer)[:200]}")
    counts = {name: answer[name] for name in ("stored", "known") if isinstance(answer.get(name), int)}
    return Receipt(answer["capture_id"], duplicate=answer.get("duplicate") is True, **counts)
