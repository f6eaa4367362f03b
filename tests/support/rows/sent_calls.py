"""Tool calls as a laptop or an agent sends them to the server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any


def call(n: int, **fields: Any) -> dict[str, Any]:
    """The n-th call: a read of a file of its own, made a second after the one before, in the last twenty minutes."""
    plain = {"id": f"c{n}", "tool_name": "Read", "tool_input": {"file_path": f"{n}.py"}, "result": f"text {n}"}
    made_at = datetime.now(UTC) - timedelta(minutes=20) + timedelta(seconds=n)
    return plain | {"timestamp": made_at.isoformat()} | fields


def same(n: int, **fields: Any) -> dict[str, Any]:
    """The n-th call: the same command as ever, with the same error."""
    failing = {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Exit code 2\nNo rule"}
    return call(n, **failing | fields)
