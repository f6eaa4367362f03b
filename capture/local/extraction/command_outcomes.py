"""Learnings in the results of shell commands: what failed, and what worked instead.

Only what the agent saw counts: a command that failed, and a command of the same program that then worked. Failures
are carried from reading to reading, so that a failure today is matched with its solution tomorrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from capture.local.extraction import commands
from capture.local.extraction.calls.edits import EDITS
from capture.local.extraction.learning import LONGEST_CONTENT, Learning
from capture.local.extraction.patterns import wording
from capture.local.extraction.sentence_filters import is_hedged, is_own_mistake, is_plan, names_code
from capture.local.extraction.sentence_learnings import files_named
from capture.local.extraction.sentences import sentences
from capture.local.transcripts.messages import Message, Outcome, ToolResult, ToolUse
from memoryserver.common.text import one_line

_MAX_FAILURES = 6
_FORGOTTEN_AFTER = 40  # messages
_LONGEST_COMMAND = 160
_LONGEST_CAUSE = 260

_CAUSE = wording(
    r"\b(?:needs? to|must|requires?|because|(?:is|was) missing|isn['\u2019]t|wasn['\u2019]t|(?:does|is"
    r"|was)(?:n['\u2019]t| not)|expect(?:s|ed)"
    r"|instead of|rather than|the (?:issue|problem|error|cause) (?:is|was))\b"
)
_CAUSE_HINTS = (
    *("need to", "needs to", "must", "require", "because", "missing", "n't", "n\u2019t", "not", "expect", "instead of"),
    *("rather than", "the issue", "the problem", "the error", "the cause"),
)
_NEED = re.compile(
    r"^I need to (?:pass|provide|use|set|install|import|give|call|mock|patch|await|quote|escape|specify)\b"
    r".*\b(?:instead of|rather than|because|parameter|argument)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Failure:
    """A command that failed, and what happened after it: files edited, commands run, the cause that was named."""

    command: str
    error: str
    index: int
    edited: list[str] = field(default_factory=list)
    between: list[str] = field(default_factory=list)
    cause: str = ""


class _Lesson(NamedTuple):
    type: str
    content: str
    confidence: float
    reason: str


class Attempts:
    """The recent commands of one transcript; `memory` is that of the previous reading."""

    def __init__(self, memory: dict[str, Any]) -> None:
        self._failures = [_Failure(**fields) for fields in memory.get("failures", [])]

    def memory(self) -> dict[str, Any]:
        """Return the memory for the next reading, as a JSON object."""
        return {"failures": [asdict(failure) for failure in self._failures]}

    @property
    def has_failures(self) -> bool:
        """Whether a failed command is remembered."""
        return bool(self._failures)

    def may_name_cause(self, text: str) -> bool:
        """Return whether `text`, the agent's words, may name the cause of a recent failure."""
        if not self._failures:
            return False
        lowered = text.lower()
        hinted = any(hint in lowered for hint in _CAUSE_HINTS)
        return hinted and (_CAUSE.search(lowered) is not None or "I need to" in text)

    def record_cause(self, text: str, learnings: Iterable[Learning]) -> None:
        """Record the cause of the last failure if `text`, the agent's words after it, names one.

        A cause that `learnings`, those found in `text`, already contain is not recorded.
        """
        cause = next(filter(_names_cause, (sentence.text.rstrip(": ") for sentence in sentences(text))), "")
        if cause and not any(cause.rstrip(".") in learning.content for learning in learnings):
            self._failures[-1].cause = cause

    def record_result(self, message: Message, result: ToolResult, clean: Callable[[str], str]) -> Learning | None:
        """Record the result of a call and return the learning that it completes, if any.

        `clean` redacts the secrets in a text.
        """
        use = result.use
        self._failures = [failure for failure in self._failures if message.index - failure.index <= _FORGOTTEN_AFTER]
        if use is None or not _has_ended(result):
            return None
        worked = result.outcome == Outcome.OK and not commands.is_masked_failure(use.raw_command, result.text)
        if use.name in EDITS and worked:
            for failure in self._failures:
                failure.edited = list(dict.fromkeys([*failure.edited, *use.files]))[:5]
        if worked and not self._failures:
            return None
        command = _short_command(use.command, message.cwd)
        if not command:
            return None
        if commands.teaches_nothing(command) and not self._is_about_quotes(command, result, worked=worked):
            if worked and not commands.changes_nothing(command):
                self._record_between(command)
            return None
        if worked:
            return self._record_success(message, use, command)
        self._record_failure(message, command, result.text, clean)
        return None

    def _is_about_quotes(self, command: str, result: ToolResult, *, worked: bool) -> bool:
        """Return whether the shell misread `command`, or it is one that was misread and now has quotes."""
        if not worked:
            return commands.is_unquoted(result.text)
        return any(commands.differ_only_in_quotes(command, failure.command) for failure in self._failures)

    def _record_failure(self, message: Message, command: str, text: str, clean: Callable[[str], str]) -> None:
        error = commands.error_line(text, clean)
        if error:
            others = [failure for failure in self._failures if failure.command != command]
            self._failures = [*others, _Failure(command, error, message.index)][-_MAX_FAILURES:]

    def _record_between(self, command: str) -> None:
        for failure in self._failures:
            failure.between = [*failure.between, command][-2:]

    def _record_success(self, message: Message, use: ToolUse, command: str) -> Learning | None:
        retried = [failure for failure in self._failures if _is_retry(command, failure)]
        self._failures = [failure for failure in self._failures if failure not in retried]
        self._record_between(command)
        lesson = _lesson_of_retry(command, retried[-1]) if retried else None
        if lesson is None or len(lesson.content) > LONGEST_CONTENT:
            return None
        edited = retried[-1].edited if retried else []
        return Learning(
            lesson.type,
            lesson.content,
            lesson.confidence,
            message.index,
            message.uuid,
            reasons=(lesson.reason, "seen in the output of commands"),
            files=tuple(dict.fromkeys([*edited, *files_named(lesson.content)]))[:10],
            tools=(use.name,),
            time=message.time,
            source="observed",
        )


def _has_ended(result: ToolResult) -> bool:
    """Return whether the call ran; a sandbox also reports what the shell inside it misread as not run."""
    return result.outcome in (Outcome.OK, Outcome.FAILED) or (
        result.outcome == Outcome.NOT_RUN and commands.is_unquoted(result.text)
    )


def _is_retry(command: str, failure: _Failure) -> bool:
    """Return whether `command` tries again what failed.

    It runs the same program, or is a variant of a command that could not be run as it was.
    """
    program = commands.program_of(command)
    if program and program == commands.program_of(failure.command):
        return not commands.is_unquoted(failure.error) or commands.differ_only_in_quotes(command, failure.command)
    if program and program.split()[0] == commands.missing_program(failure.error):
        return True
    return commands.is_misuse(failure.error) and commands.is_variant(command, failure.command)


def _lesson_of_retry(command: str, failure: _Failure) -> _Lesson | None:
    """Return what the success of `command` after `failure` teaches."""
    is_same = command == failure.command or commands.differ_only_in_folders(command, failure.command)
    lesson = _lesson_of_commands_between(failure) if is_same else None
    return lesson or _lesson_of_change(command, failure)


def _lesson_of_change(command: str, failure: _Failure) -> _Lesson | None:
    """Return what the edits made since `failure`, or the other form of the command, teach."""
    what = f"`{failure.command}` failed with \u201c{failure.error}\u201d"
    misused = commands.is_misuse(failure.error) or (
        not failure.between and commands.only_adds_a_prefix(command, failure.command)
    )
    if failure.edited and failure.cause:
        where = ", ".join(f"`{name}`" for name in failure.edited[:2])
        content = f"{what}. {failure.cause.rstrip('.')}. It passed after a change to {where}."
        return _Lesson("error_recovery", content, 0.5, "failed, then passed after an edit; the agent had said why")
    if failure.edited or not misused:
        return None
    if commands.differ_only_in_folders(command, failure.command) and not commands.is_unquoted(failure.error):
        return None
    # Tests of one file are nobody's way to run tests, but what was added to the command that failed is the lesson.
    tells = commands.contains(command, failure.command) or not commands.tests_one_file(command)
    if command != failure.command and tells:
        return _Lesson("command", f"{what}; `{command}` worked.", 0.84, "worked after another form had failed")
    return None


def _lesson_of_commands_between(failure: _Failure) -> _Lesson | None:
    """Return what it teaches that the same command worked after others had been run."""
    if failure.edited or not failure.between or not commands.is_misuse(failure.error):
        return None
    between = " and ".join(f"`{command}`" for command in failure.between)
    content = f"`{failure.command}` failed with \u201c{failure.error}\u201d; it worked after {between}."
    return _Lesson("error_recovery", content, 0.84, "failed, then worked after another command")


def _names_cause(text: str) -> bool:
    if len(text) > _LONGEST_CAUSE or text.endswith("?") or not names_code(text):
        return False
    if _NEED.match(text) is None and (_CAUSE.search(text.lower()) is None or is_plan(text)):
        return False
    return not is_hedged(text) and not is_own_mistake(text)


def _short_command(command: str, cwd: str) -> str:
    """Return `command` with paths relative to `cwd`; "" if it has several lines or is very long."""
    command = command.strip()
    if "\n" in command or len(command) > _LONGEST_COMMAND:
        return ""
    return one_line(command.replace(cwd.rstrip("/") + "/", "") if len(cwd) > 1 else command)
