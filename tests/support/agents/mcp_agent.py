"""An agent that uses the tools: the official SDK's client, on a process that it started or over HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

ROOT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-m", "memorycli", "mcp"]
LIMIT = 30.0  # seconds for any answer


@dataclass(frozen=True)
class Answer:
    """What a tool gave back."""

    text: str
    is_error: bool


class Agent:
    """Calls tools, each call until its answer is there."""

    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self._client = client
        self._portal = portal

    def __call__(self, tool: str, **arguments: Any) -> str:
        """The answer of a call that is expected to work."""
        answer = self.answer(tool, arguments)
        assert not answer.is_error, answer.text
        return answer.text

    def refused(self, tool: str, **arguments: Any) -> str:
        """The answer of a call that is expected to fail."""
        answer = self.answer(tool, arguments)
        assert answer.is_error, answer.text
        return answer.text

    def begin(self, tool: str, **arguments: Any) -> Future[Any]:
        """Call a tool without waiting for its answer, the text of which is in the future's `content`."""
        return self._portal.start_task_soon(self._client.call_tool, tool, arguments)

    def answer(self, tool: str, arguments: dict[str, Any]) -> Answer:
        result = self._portal.call(self._client.call_tool, tool, arguments)
        assert isinstance(result, types.CallToolResult)
        blocks = [content.text for content in result.content if isinstance(content, types.TextContent)]
        assert len(blocks) == len(result.content)
        return Answer("\n".join(blocks), result.is_error)

    def tools(self) -> list[types.Tool]:
        return self._portal.call(self._client.list_tools).tools

    def resources(self) -> list[str]:
        return [resource.uri for resource in self._portal.call(self._client.list_resources).resources]

    def read(self, uri: str) -> str:
        (content,) = self._portal.call(self._client.read_resource, uri).contents
        assert isinstance(content, types.TextResourceContents)
        return content.text

    @property
    def protocol(self) -> str:
        return self._client.protocol_version


def environment(home: Path, **more: str) -> dict[str, str]:
    """That of a laptop whose memory is in `home`."""
    return {**os.environ, "MEMORYSERVER_HOME": str(home), "PYTHONPATH": str(ROOT), **more}


@contextmanager
def on_laptop(
    folder: Path, home: Path, *, roots: list[Path] | None = None, mode: str = "auto", **more: str
) -> Iterator[Agent]:
    """An agent that works in `folder`, and names `roots` if it is asked for them."""
    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=environment(home, **more), cwd=folder)

    async def list_roots(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root.model_validate({"uri": root.as_uri()}) for root in roots or []])

    asked = list_roots if roots is not None else None
    with connected(Client(parameters, mode=mode, list_roots_callback=asked, read_timeout_seconds=LIMIT)) as agent:
        yield agent


@contextmanager
def over_http(url: str, token: str, *, mode: str = "auto") -> Iterator[Agent]:
    """An agent that reaches the tools at `url` with a token of its own."""
    with start_blocking_portal() as portal:
        http = portal.call(_http_client, token)
        with _entered(Client(streamable_http_client(url, http_client=http), mode=mode), portal) as agent:
            yield agent
        portal.call(http.aclose)


async def _http_client(token: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=LIMIT)


@contextmanager
def connected(client: Client) -> Iterator[Agent]:
    with start_blocking_portal() as portal, _entered(client, portal) as agent:
        yield agent


@contextmanager
def _entered(client: Client, portal: BlockingPortal) -> Iterator[Agent]:
    with portal.wrap_async_context_manager(client) as entered:
        yield Agent(entered, portal)
