"""The row of a trajectory that is made of a tool call.

Works on plain dicts: this runs at every tool call. `record` turns a row into a ToolCallRecord when an observer is due.
"""

from __future__ import annotations

from memoryserver.common import text
from trajectory.local import outcome
from trajectory.local.calls import facts, hashing, normalise, summary
from trajectory.local.calls.parse import CallError, ToolCall, read

_MAX_NAME = 100


def row_of(report: dict[str, object] | ToolCall, *, root: str = "") -> dict[str, object]:
    """Return the row of a trajectory for a call in either form; `root` is the folder that paths are relative to.

    Raises CallError as `read` does.
    """
    try:
        return _row(report if isinstance(report, ToolCall) else read(report), root)
    except RecursionError:
        raise CallError("the call's JSON is nested too deeply") from None


def _row(call: ToolCall, root: str) -> dict[str, object]:
    paths = summary.paths_of(call.arguments, call.cwd, root)
    return _result_fields(call, paths) | {
        "tool_name": text.shorten(text.one_line(text.printable(call.tool_name)), _MAX_NAME),
        "params_summary": summary.summarise(call.arguments, paths),
        "timestamp": call.timestamp,
        "outcome": call.outcome,
        "kind": summary.kind_of(call.tool_name, call.arguments),
        "paths": paths,
        "args_hash": hashing.of_arguments(call.arguments, is_command=bool(call.command)),
        "tool_use_id": call.tool_use_id,
        "batch_id": call.batch_id or _batch_of(call),
        "turn": call.turn,
        "compactions": call.compactions,
        "agent_id": call.agent_id,
        "duration_ms": call.duration_ms,
        "tokens_used": call.tokens_used,
        "cost_used": call.cost_used,
    }


def _result_fields(call: ToolCall, paths: list[str]) -> dict[str, object]:
    failed = call.outcome not in outcome.SUCCESSES
    failure = call.failure
    message = summary.error_lines(failure) or normalise.NO_MESSAGE if failed else None
    result_hash, result_size = hashing.of_result(call.result if call.error is None else failure)
    return facts.facts(call, failure, paths) | {
        "success": not failed,
        "error_message": message,
        "error_key": _error_key(call, failure, message or "") if call.outcome == outcome.ERROR else "",
        "result_hash": result_hash,
        "result_size": result_size,
    }


def _error_key(call: ToolCall, failure: str, message: str) -> str:
    if summary.kind_of(call.tool_name, call.arguments) == summary.WRITE:
        return normalise.refusal_key(failure.replace("<tool_use_error>", "").replace("</tool_use_error>", ""))
    return normalise.error_key(message)


def _batch_of(call: ToolCall) -> str:
    from trajectory.local.calls import batches

    return batches.batch_of(call.transcript, call.tool_use_id, agent_id=call.agent_id)
