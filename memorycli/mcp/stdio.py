"""The tools over standard input and output, for one agent; the process ends when the agent does."""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memorycli.errors import CommandError
from memorycli.mcp import logfile, serving, wire
from memorycli.mcp.place import Place, laptop

logger = logging.getLogger(__name__)

_CHECK_SECONDS = 2.0  # between two checks that the agent is running
_REQUEST_SECONDS = 3.0
_ROOTS = "roots"


def serve(parent: int) -> NoReturn:
    """Serve until standard input is closed or the process `parent`, which started this one, has ended; then exit.

    A call that still waits for the server then is given up: what it had to save is in the outbox.
    Raises CommandError if there is no standard input or output.
    """
    if sys.stdin is None or sys.stdout is None:
        raise CommandError("memory mcp needs standard input and output, and one of them is closed")
    logfile.start()
    # A normal exit would wait for threads that cannot be interrupted: they read standard input and wait for the server.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    threading.Thread(target=_watch, args=[parent, os.dup(1)], daemon=True).start()
    try:
        anyio.run(_serve)
    except Exception:
        logger.exception("the tools have failed")
        os._exit(1)
    os._exit(0)


async def _serve() -> None:
    agent = _Agent()
    server = serving.build(agent.place, on_laptop=True)
    server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, agent.forget)
    async with wire.standard_streams() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _watch(parent: int, output: int) -> None:
    """End the process when its parent has ended or its output has no reader; standard input may still be open.

    A thread of its own: whatever the tools do, they do not hold it up.
    """
    while os.getppid() == parent and _is_read(output):
        time.sleep(_CHECK_SECONDS)
    logger.warning("the agent has ended")
    os._exit(0)


def _is_read(output: int) -> bool:
    """Return whether the pipe `output` has a reader; True if the system cannot tell."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(output, 0)
    return not poll.poll(0)  # errors and hang-ups are always reported


class _Agent:
    """The client's folders: requested once, and again after the client reports a change."""

    def __init__(self) -> None:
        self._roots: list[Path] | None = None

    async def place(
        self, context: serving.Context, params: types.InputResponseRequestParams
    ) -> Place | types.InputRequiredResult:
        """Return where the agent works; in newer protocol versions, a result that requests its folders."""
        capabilities = context.session.client_capabilities
        if self._roots is None and capabilities is not None and capabilities.roots is not None:
            if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                self._roots = await _request_folders(context)
            elif params.input_responses is None:
                return types.InputRequiredResult(input_requests={_ROOTS: types.ListRootsRequest()})
            else:
                self._roots = _folders(params.input_responses.get(_ROOTS))
        return laptop(self._roots or [])

    async def forget(self, context: serving.Context, params: types.NotificationParams | None) -> None:
        """Forget the folders: the client has reported a change."""
        self._roots = None


async def _request_folders(context: serving.Context) -> list[Path]:
    try:
        answer = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult, _REQUEST_SECONDS)
    except (MCPError, ValueError, TimeoutError) as error:  # a client that announced roots and does not return them
        logger.warning("the client did not return its folders: %s", error)
        return []
    return _folders(answer)


def _folders(answer: object) -> list[Path]:
    if not isinstance(answer, types.ListRootsResult):
        return []
    return [folder for folder in map(_folder, answer.roots) if folder is not None]


def _folder(root: Any) -> Path | None:
    parts = urlsplit(str(root.uri))
    path = unquote(parts.path)
    if parts.scheme != "file" or not path or "\0" in path:
        return None
    if os.name == "nt":  # the path of file:///C:/work is /C:/work
        path = path.lstrip("/")
    return Path(path)
