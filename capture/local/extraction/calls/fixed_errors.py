"""Errors that state a rule, and the edit after which the same check no longer reports them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from capture.local.extraction import commands
from capture.local.extraction.calls.edits import EDITS, changed_texts, new_line
from capture.local.extraction.calls.rule_errors import RuleError, code_names, rule_errors
from capture.local.extraction.check_commands import form_of
from capture.local.extraction.learning import LONGEST_CONTENT, Learning
from capture.local.transcripts.messages import Message, Outcome, ToolResult, ToolUse
from memoryserver.common import shell
from memoryserver.common.text import one_line, printable, shorten

_MAX_ERRORS = 6
_FORGOTTEN_AFTER = 60  # messages
_LONGEST_LINE = 160
_LONGEST_COMMAND = 400
_SILENCES = re.compile(
    r"type: ?ignore|noqa|nolint|eslint-disable|@ts-(?:ignore|expect)|#\[allow|pyright: ?ignore|skip\b"
)
_ENOUGH_FAILURES = 2  # of a check that says what is wrong, but not what to do


@dataclass(slots=True)
class _Open:
    """An error that a check reported: how often, and what was changed since."""

    checks: list[str]
    message: str
    rule: str
    file: str
    is_rule: bool
    index: int
    failures: int = 1
    edits: int = 0
    edited: str = ""
    line: str = ""


class FixedErrors:
    """The errors that wait for their fix in one transcript; `memory` is that of the previous reading."""

    def __init__(self, memory: dict[str, Any]) -> None:
        self._open = [_Open(**fields) for fields in memory.get("open", [])]
        self._lines: dict[str, list[str]] = dict(memory.get("lines", {}))  # of a call, for each open error

    def memory(self) -> dict[str, Any]:
        """Return the memory for the next reading, as a JSON object."""
        return {"open": [asdict(error) for error in self._open], "lines": self._lines}

    def record_uses(self, message: Message, clean: Callable[[str], str]) -> None:
        """Record what the edits among the calls of `message` change. `clean` redacts the secrets in a text."""
        for use in message.uses if self._open else ():
            old, new = changed_texts(use)
            if not old or "private" in old.lower() or "private" in new.lower():
                continue
            found = [new_line(old, new, code_names(error.message)) or new_line(old, new, []) for error in self._open]
            lines = [shorten(one_line(clean(line)), _LONGEST_LINE) if line else "" for line in found]
            self._lines = dict([*self._lines.items(), (use.id, lines)][-_MAX_ERRORS:])

    def record_result(self, message: Message, result: ToolResult, clean: Callable[[str], str]) -> Learning | None:
        """Record the result of a call and return the error that it shows to be fixed, if any."""
        use = result.use
        if use is None or result.outcome not in (Outcome.OK, Outcome.FAILED):
            return None
        if use.name in EDITS:
            self._record_edit(use, result)
            return None
        if not use.raw_command or (result.outcome == Outcome.OK and not self._open):
            return None
        checks = _checks_of(use.command)
        if not checks:
            return None
        failed = result.outcome == Outcome.FAILED
        # Most outputs state no rule. They are not searched for secrets.
        errors = rule_errors(clean(printable(result.text))) if failed and rule_errors(printable(result.text)) else []
        return self._record_check(message, use, checks, errors, failed=failed)

    def _record_edit(self, use: ToolUse, result: ToolResult) -> None:
        lines = self._lines.pop(use.id, [])
        if result.outcome != Outcome.OK:
            return
        name = shell.base_name(use.files[0]) if use.files else ""
        for error, line in zip(self._open, lines, strict=False):
            if error.file in ("", name):
                error.edits, error.edited, error.line = error.edits + 1, name, line or error.line

    def _record_check(
        self, message: Message, use: ToolUse, checks: list[str], errors: list[RuleError], *, failed: bool
    ) -> Learning | None:
        reported = {error.rule: error for error in errors}
        same = [error for error in self._open if not set(checks).isdisjoint(error.checks)]
        for error in same:
            error.failures += error.rule in reported
        fixed = [error for error in same if error.rule not in reported and (not failed or error.rule == error.message)]
        self._open = [
            error for error in self._open if error not in fixed and message.index - error.index <= _FORGOTTEN_AFTER
        ]
        known = {error.rule for error in self._open}
        new = [_Open(checks, *error, message.index) for error in errors if error.rule not in known]
        self._open, self._lines = [*self._open, *new][-_MAX_ERRORS:], {}
        learned = next((error for error in fixed if _teaches(error)), None)
        return _learning(message, use, learned) if learned else None


def _checks_of(command: str) -> list[str]:
    """Return the checks in `command`, each as its form or, of a single test or file, as its program."""
    if len(command) > _LONGEST_COMMAND:
        return []
    form = form_of(command)
    if form is not None:
        return form.text.split(" && ")
    return [] if commands.teaches_nothing(command) else [commands.program_of(command)]


def _teaches(error: _Open) -> bool:
    """Return whether the fix of `error` is a lesson: of a rule always, else if it took a known line and some tries."""
    if not error.edits or _SILENCES.search(error.line):
        return False
    is_wrong_call = error.rule == error.message
    return error.is_rule or (error.line != "" and (is_wrong_call or error.failures >= _ENOUGH_FAILURES))


def _learning(message: Message, use: ToolUse, error: _Open) -> Learning | None:
    check = shorten(error.checks[-1], 100)
    change = f"`{error.line.replace('`', chr(39))}`" if error.line else "a change"
    where = f" in `{error.edited}`" if error.edited else ""
    content = f"`{check}` failed with \u201c{error.message}\u201d; fixed with {change}{where}."
    if len(content) > LONGEST_CONTENT:
        return None
    return Learning(
        "gotcha" if error.is_rule else "error_recovery",
        content,
        0.6 if error.is_rule else 0.7,
        message.index,
        message.uuid,
        reasons=("an error with a rule, gone after an edit", "seen in the output of commands"),
        files=(error.edited,) if error.edited else (),
        tools=(use.name,),
        time=message.time,
        source="observed",
    )
