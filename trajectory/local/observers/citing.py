"""Cites calls in findings: by number, oldest first, each on one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoryserver.common import text
from trajectory.local import outcome
from trajectory.local.calls import summary
from trajectory.local.calls.record import ToolCallRecord

MAX_CITED = 5
_MAX_LINE = 250
_MAX_SHOWN = 90


def cite_calls(records: Sequence[ToolCallRecord]) -> str:
    """Return the last five of `records` with their arguments: `#45: edit_file(path=src/config.py)`."""
    return _lines(f"#{each.call_index}: {_called(each)}" for each in records[-MAX_CITED:])


def cite_errors(records: Sequence[ToolCallRecord]) -> str:
    """Return the last five of `records` with what went wrong: `#49: edit_file - Syntax error on line 42`."""
    return _lines(
        f"#{each.call_index}: {each.tool_name} - {each.error_message or 'failed without a message'}"
        for each in records[-MAX_CITED:]
    )


def cite_results(records: Sequence[ToolCallRecord]) -> str:
    """Return the last five of `records` with arguments and the start of the result: `#7: Bash(make) -> error: …`."""
    return _lines(
        f"#{each.call_index}: {text.shorten(_called(each), _MAX_SHOWN)} -> {result_of(each)}"
        for each in records[-MAX_CITED:]
    )


def result_of(record: ToolCallRecord) -> str:
    """Return the result, shortened: the error without its exit status and rules, else the beginning of the result."""
    lines = (record.error_message or record.result_head).split("\n")
    shown = [line for line in lines if not summary.is_rule(line)] or lines
    status, message = shown[0], "\n".join(shown[1:])
    if not message or outcome.exit_status(status) is None:
        message = f"{status}\n{message}"
    return text.shorten(text.one_line(message) or "no output", _MAX_SHOWN)


def numbers(records: Sequence[ToolCallRecord]) -> str:
    """Return the numbers of `records` for a sentence: `#3, #7, #9`; of more than eight the first and the last ones."""
    shown = [f"#{record.call_index}" for record in records]
    return ", ".join(shown if len(shown) <= 8 else [*shown[:2], "…", *shown[-4:]])


def _called(record: ToolCallRecord) -> str:
    return f"{record.tool_name}({record.params_summary})"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(text.shorten(text.one_line(text.printable(line)), _MAX_LINE) for line in lines)
