"""Tool calls as a laptop or an agent sends them to the server."""

from __future__ import annotations

from typing import Any


def call(n: int, **fields: Any) -> dict[str, Any]:
    """The n-th call: a read of a file of its own."""
    plain = {"id": f"c{n}", "tool_name": "Read", "tool_input": {"file_path": f"{n}.py"}, "result": f"text {n}"}
    return plain | {"timestamp": f"2026-01-15T14:{n // 60:02d}:{n % 60:02d}Z"} | fields


def same(n: int, **fields: Any) -> dict[str, Any]:
    """The n-th call: the same command as ever, with the same error."""
    failing = {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Exit code 2\nNo rule"}
    return call(n, **failing | fields)
