"""Learns how a project is checked: the commands that people gave or that were run again and again, and worked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from capture.local.extraction.check_commands import CheckForm, form_of, may_check
from capture.local.extraction.learning import Learning
from capture.local.transcripts.messages import Message, Outcome, Role, ToolResult, ToolUse

_MAX_FORMS = 30
_MAX_GIVEN = 8  # commands in one text of a person's
_NAMES = {
    "tests": "tests",
    "lint": "linter",
    "checks": "checks",
    "types": "type checker",
    "format": "formatter",
    "build": "build",
    "coverage": "test coverage",
}
_COMMAND_IN_TEXT = re.compile(r"`([^`\n]{6,180})`|^[ \t]*(?:[$!] ?)?([a-zA-Z./][^\n`]{5,179})$", re.MULTILINE)
_SELECTED = re.compile(
    r"\s(?:-m|--?tags?|--project)[ =](?!pytest\b|unittest\b|tox\b|nox\b)"
    r"([\"']?)(?P<marker>[a-z][a-z0-9]{1,30})\1(?=\s|$)"
    r"|\btests?[:_-](?!(?:all|ci|cov|coverage|fast|full|quick|watch|run|only|dev|local)\b)"
    r"(?P<task>[a-z][a-z0-9]{1,30})(?=\s|$)"
)
"""The selection in a command: a marker, a tag, a project of tests, or what a task's name says of itself."""
_LONGEST_COMMAND = 400
_ENOUGH_RUNS = 2
_WHOLE_ROW = 2  # commands after the first that make a row a check of everything, even if it was run only once


@dataclass(slots=True)
class _Use:
    """How often a form of command was run, where for the first time, and whether a person gave it."""

    runs: int = 0
    index: int = 0
    uuid: str = ""
    time: str = ""
    is_given: bool = False
    is_learned: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return its fields; `asdict`, which copies what cannot change, was a sixth of reading one new line."""
        return {name: getattr(self, name) for name in self.__slots__}


class ProjectCommands:
    """The check commands of one transcript; `memory` is that of the previous reading."""

    def __init__(self, memory: dict[str, Any]) -> None:
        self._uses = {text: _Use(**fields) for text, fields in memory.items()}

    def memory(self) -> dict[str, Any]:
        """Return the memory for the next reading, as a JSON object."""
        return {text: use.to_dict() for text, use in self._uses.items()}

    def record_text(self, message: Message, text: str, clean: Callable[[str], str]) -> None:
        """Record the commands that stand in `text`, a person's words. `clean` redacts the secrets in a text."""
        if not may_check(text):
            return
        matches = [match for match in _COMMAND_IN_TEXT.finditer(text) if may_check(match[0])][:_MAX_GIVEN]
        forms = [form_of(match[1] or match[2]) for match in matches]
        if "private" in text.lower():  # what a person marks as private may span lines
            forms = []
        for form in forms:
            if form is not None:
                self._use_of(form._replace(text=clean(form.text)), message).is_given = True

    def record_uses(self, message: Message) -> None:
        """Record the calls of `message`: an agent's, or the commands that a person ran."""
        for use in message.uses:
            form = _form_of(use, message.cwd) if use.raw_command else None
            if form is not None:
                seen = self._use_of(form, message)
                seen.is_given = seen.is_given or message.role != Role.AGENT

    def record_result(self, message: Message, result: ToolResult, clean: Callable[[str], str]) -> Learning | None:
        """Record the result of a call and return how the project is checked, the first time that is sure.

        `clean` redacts the secrets in a text.
        """
        use, outcome = result.use, result.outcome
        if use is None or not use.raw_command or outcome not in (Outcome.OK, Outcome.FAILED):
            return None
        form = _form_of(use, message.cwd)
        if form is None:
            return None
        seen = self._use_of(form, message)
        seen.runs += 1
        if outcome != Outcome.OK or seen.is_learned or not _is_sure(form, seen) or self._is_known(form.text):
            return None
        seen.is_learned = True
        return _learning(form, seen, use, clean)

    def _is_known(self, text: str) -> bool:
        """Return whether each command of `text` is in what was learned."""
        learned = {part for known, use in self._uses.items() if use.is_learned for part in known.split(" && ")}
        return learned.issuperset(text.split(" && "))

    def _use_of(self, form: CheckForm, message: Message) -> _Use:
        if form.text not in self._uses:
            self._uses[form.text] = _Use(0, message.index, message.uuid, message.time)
            while len(self._uses) > _MAX_FORMS:
                del self._uses[next(iter(self._uses))]
        return self._uses[form.text]


def _form_of(use: ToolUse, cwd: str) -> CheckForm | None:
    # Most commands check nothing as they are written. They are not searched for secrets.
    raw = use.raw_command
    if len(raw) > _LONGEST_COMMAND or not may_check(raw) or form_of(raw) is None:
        return None
    return form_of(use.command.replace(cwd.rstrip("/") + "/", "") if len(cwd) > 1 else use.command)


def _is_sure(form: CheckForm, seen: _Use) -> bool:
    if not form.is_own:
        return seen.is_given
    is_whole = form.text.count(" && ") >= _WHOLE_ROW or form.kinds == ("checks",)
    return seen.is_given or is_whole or seen.runs >= _ENOUGH_RUNS


def _tests_named_in(text: str) -> str:
    """Return what the tests that `text` runs are called: "browser tests" of `pytest -m browser`, else "tests"."""
    names = {
        match["marker"] or match["task"] if (match := _SELECTED.search(part)) else "" for part in text.split(" && ")
    }
    name = names.pop() if len(names) == 1 else ""
    return f"{name} tests" if name else "tests"


def _learning(form: CheckForm, seen: _Use, use: ToolUse, clean: Callable[[str], str]) -> Learning:
    names = [_tests_named_in(form.text) if kind == "tests" else _NAMES[kind] for kind in form.kinds]
    checked = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    verb = "run" if len(names) > 1 or names[0].endswith("s") else "runs"
    if seen.is_given:
        confidence, reason = 0.55, "a check that a person gave, and that passed"
    elif form.kinds == ("checks",):
        confidence, reason = 0.5, "a task of the project that checks it, and that passed"
    elif form.in_row:
        confidence, reason = 0.6, "checks that are run in a row, and that passed"
    else:
        confidence, reason = 0.5, "a check that is run again and again, and that passed"
    return Learning(
        "test" if form.kinds == ("tests",) else "command",
        f"The project's {checked} {verb} with `{clean(form.text)}`.",
        confidence,
        seen.index,
        seen.uuid,
        reasons=(reason, "seen in the output of commands"),
        tools=(use.name,),
        time=seen.time,
        source="observed",
    )
