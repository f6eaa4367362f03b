"""Which tools there are: all of them on a laptop, over HTTP those that need none of its files."""

from __future__ import annotations

from memorycli.mcp import journal_tools, log_tools, memory_tools, trajectory_tools
from memorycli.mcp.tool import Tool

ALL: tuple[Tool, ...] = (*journal_tools.TOOLS, *memory_tools.TOOLS, *log_tools.TOOLS, *trajectory_tools.TOOLS)


def tools(*, on_laptop: bool) -> dict[str, Tool]:
    """The tools that can be called there, by their names."""
    return {tool.name: tool for tool in ALL if on_laptop or not tool.laptop_only}
