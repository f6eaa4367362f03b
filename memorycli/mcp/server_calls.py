"""Requests to the server for a tool: off the event loop, with errors as sentences for the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

from memorycli.errors import CommandError
from memorycli.mcp.answers import line
from memorycli.mcp.place import NoServerError, Place
from memorycli.mcp.tool import ToolError
from memoryserver.client.http import Client, RefusedError, ServerError, UnauthorizedError

STILL_WORKS = "The journal (start_ghap and the others) and trajectory_status work without it."

_Answer = TypeVar("_Answer")


class RefusedToolError(ToolError):
    """The server refused the request; `unknown` is the parameter whose value it does not know, or ""."""

    def __init__(self, error: RefusedError) -> None:
        super().__init__(refusal(error))
        errors = error.problem.get("errors")
        first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
        self.unknown = str(first.get("where", "")) if first.get("what") == "unknown" else ""


async def ask(place: Place, question: Callable[[Client], _Answer]) -> _Answer:
    """Return the result of `question`, which makes requests with a client. Raises ToolError."""
    try:
        return await in_thread(lambda: question(place.client()))
    except RefusedError as error:
        raise RefusedToolError(error) from error
    except (ServerError, NoServerError) as error:
        raise ToolError(absence(place, error)) from error


async def in_thread(work: Callable[[], _Answer]) -> _Answer:
    """Run `work`, which blocks, in a thread and return its result; a cancelled call does not wait for the thread."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def refusal(error: RefusedError) -> str:
    """Return the server's reason as a sentence, and for a refused token how to get another."""
    reason = line(error.problem.get("detail") or error, 600)
    if isinstance(error, UnauthorizedError):
        return f"The server refused the token ({reason}); ask the user to run: memory login URL"
    return f"The server refused this: {reason}"


def absence(place: Place, error: ServerError | NoServerError | CommandError) -> str:
    """Return why the server cannot be reached, and on a laptop what works without it."""
    reason = line(error, 300)
    return f"The memory server is not available: {reason}." + (f" {STILL_WORKS}" if place.on_laptop else "")
