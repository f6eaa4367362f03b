"""The tools over standard input and output: one agent, whose process this one does not outlive."""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memorycli.errors import CommandError
from memorycli.mcp import logfile, serving
from memorycli.mcp.place import Place, laptop

logger = logging.getLogger(__name__)

_LOOK_SECONDS = 2.0  # between two looks at whether the agent is still there
_ASK_SECONDS = 3.0
_ROOTS = "roots"


def serve() -> int:
    """Serve until standard input is closed or the process that started this one is gone.

    Raises CommandError where there is no standard input or output.
    """
    if sys.stdin is None or sys.stdout is None:
        raise CommandError("memory mcp talks with an agent by standard input and output, and one of them is closed")
    logfile.start()
    # The SDK reads in a thread that nothing interrupts, so an ordinary end would wait for the agent's next word.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    anyio.run(_serve)
    return 0


async def _serve() -> None:
    parent, output = os.getppid(), os.dup(1)
    agent = _Agent()
    server = serving.build(agent.place, on_laptop=True)
    server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, agent.forget)
    async with anyio.create_task_group() as group:
        group.start_soon(_watch, parent, output)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _watch(parent: int, output: int) -> None:
    """End the process once its parent is gone, or nobody reads what it says: standard input may still be held open."""
    while os.getppid() == parent and _is_read(output):  # noqa: ASYNC110 - nobody tells of either
        await anyio.sleep(_LOOK_SECONDS)
    logger.warning("the agent is gone")
    os._exit(0)


def _is_read(output: int) -> bool:
    """Whether somebody has the other end of the pipe `output`; taken for granted where the system cannot say."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(output, 0)
    return not poll.poll(0)  # errors and hang-ups are told unasked


class _Agent:
    """What is known of the one client: the folders it works in, asked for once and again when it says they changed."""

    def __init__(self) -> None:
        self._roots: list[Path] | None = None

    async def place(
        self, context: serving.Context, params: types.InputResponseRequestParams
    ) -> Place | types.InputRequiredResult:
        """Where the agent works; in newer versions of the protocol it is asked by an answer of its own."""
        capabilities = context.session.client_capabilities
        if self._roots is None and capabilities is not None and capabilities.roots is not None:
            if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                self._roots = await _asked(context)
            elif params.input_responses is None:
                return types.InputRequiredResult(input_requests={_ROOTS: types.ListRootsRequest()})
            else:
                self._roots = _folders(params.input_responses.get(_ROOTS))
        return laptop(self._roots or [])

    async def forget(self, context: serving.Context, params: types.NotificationParams | None) -> None:
        """The client's folders have changed."""
        self._roots = None


async def _asked(context: serving.Context) -> list[Path]:
    try:
        found = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult, _ASK_SECONDS)
    except (MCPError, ValueError, TimeoutError) as error:  # a client that promised roots and has none to tell
        logger.warning("the client did not say where it works: %s", error)
        return []
    return _folders(found)


def _folders(answer: object) -> list[Path]:
    if not isinstance(answer, types.ListRootsResult):
        return []
    return [folder for folder in map(_folder, answer.roots) if folder is not None]


def _folder(root: Any) -> Path | None:
    parts = urlsplit(str(root.uri))
    path = unquote(parts.path)
    if parts.scheme != "file" or not path or "\0" in path:
        return None
    if os.name == "nt":  # file:///C:/work is /C:/work
        path = path.lstrip("/")
    return Path(path)
