"""Asks the server for a tool: off the event loop, its errors as sentences that say what still works."""

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


async def ask(place: Place, question: Callable[[Client], _Answer]) -> _Answer:
    """What `question` gets from the server. Raises ToolError."""
    try:
        return await in_thread(lambda: question(place.client()))
    except RefusedError as error:
        raise ToolError(refusal(error)) from error
    except (ServerError, NoServerError) as error:
        raise ToolError(absence(place, error)) from error


async def in_thread(work: Callable[[], _Answer]) -> _Answer:
    """`work`, which blocks, in a thread; one that waits for the network is left behind when the call is cancelled."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def refusal(error: RefusedError) -> str:
    """What the server said, and what to do about a token that it does not take."""
    said = line(error.problem.get("detail") or error, 600)
    if isinstance(error, UnauthorizedError):
        return f"The server refused the token ({said}); ask the user to run: memory login URL"
    return f"The server refused this: {said}"


def absence(place: Place, error: ServerError | NoServerError | CommandError) -> str:
    """Why there is no server, and what works without one."""
    reason = line(error, 300)
    return f"The memory server cannot be asked now: {reason}." + (f" {STILL_WORKS}" if place.on_laptop else "")
