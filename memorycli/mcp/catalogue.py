"""The list of tools: on a laptop all of them, over HTTP those that need no files of the laptop."""

from __future__ import annotations

from memorycli.mcp import journal_tools, log_tools, memory_tools, trajectory_tools
from memorycli.mcp.tool import Tool

ALL: tuple[Tool, ...] = (*journal_tools.TOOLS, *memory_tools.TOOLS, *log_tools.TOOLS, *trajectory_tools.TOOLS)


def tools(*, on_laptop: bool) -> dict[str, Tool]:
    """Return the available tools by name."""
    return {tool.name: tool for tool in ALL if on_laptop or not tool.laptop_only}
