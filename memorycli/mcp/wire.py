"""The transport over standard input and output: a message a line, and a response to every request.

It takes the place of the SDK's `stdio_server`, which drops lines that it cannot parse and reads lines of any length.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import BinaryIO

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from memorycli.mcp import messages
from memorycli.mcp.messages import Message, Refused

logger = logging.getLogger(__name__)

_CHUNK = 1 << 20

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def standard_streams() -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Yield the streams of messages for the SDK's server, until standard input ends and all responses are written.

    Meanwhile descriptor 0 is empty and 1 is standard error, so that nothing else reads or writes the protocol.
    """
    source = os.fdopen(_taken(0, os.open(os.devnull, os.O_RDONLY)), "rb")
    sink = os.fdopen(_taken(1, _standard_error()), "wb")
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage]()
    async with anyio.create_task_group() as group:
        group.start_soon(_read, source, to_server, outgoing.clone())
        group.start_soon(_write, sink, from_server)
        yield incoming, outgoing


async def _read(source: BinaryIO, to_server: MemoryObjectSendStream[SessionMessage | Exception], out: Outgoing) -> None:
    async with to_server, out:
        while (batch := await anyio.to_thread.run_sync(_next_line, source)) is not None:
            for item in batch:
                if isinstance(item, Refused):
                    logger.warning("a message was refused: %s", item.error.error.message)
                    await out.send(SessionMessage(item.error))
                else:
                    await to_server.send(SessionMessage(item))


def _next_line(source: BinaryIO) -> list[Message | Refused] | None:
    """Return the messages of the next line, None at the end of the input."""
    line = source.readline(messages.MAX_BYTES)
    if not line:
        return None
    if len(line) < messages.MAX_BYTES or line.endswith(b"\n"):
        return messages.parse(line)
    end = b""
    while not end.endswith(b"\n") and (rest := source.readline(_CHUNK)):
        end = (end + rest)[-messages.EDGE_BYTES :]
    return [messages.too_long(line[: messages.EDGE_BYTES] + end)]


async def _write(sink: BinaryIO, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with from_server:
        async for item in from_server:
            try:
                await anyio.to_thread.run_sync(_write_line, sink, messages.encode(item.message) + b"\n")
            except OSError as error:  # nobody reads; a normal exit would wait for the thread that reads
                logger.warning("the agent has ended: %s", error)
                os._exit(0)


def _write_line(sink: BinaryIO, line: bytes) -> None:
    sink.write(line)
    sink.flush()


def _taken(descriptor: int, substitute: int) -> int:
    """Return a duplicate of `descriptor`, which then refers to what `substitute` did."""
    duplicate = os.dup(descriptor)
    os.dup2(substitute, descriptor)
    os.close(substitute)
    return duplicate


def _standard_error() -> int:
    try:
        return os.dup(2)
    except OSError:  # it is closed
        return os.open(os.devnull, os.O_WRONLY)
