"""Learnings in the results of shell commands: what failed, what worked instead, how tests are run.

Only what the agent saw counts: a command that failed, and one of the same program that then worked. What was
tried is carried from reading to reading, so that a failure today and its cure tomorrow still belong together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from capture.local.extraction import commands
from capture.local.extraction.learning import LONGEST_CONTENT, Learning
from capture.local.extraction.patterns import wording
from capture.local.extraction.sentence_filters import is_hedged, is_own_slip, is_plan, names_code
from capture.local.extraction.sentence_learnings import files_named
from capture.local.extraction.sentences import sentences
from capture.local.transcripts.messages import Message, Outcome, ToolResult, ToolUse
from memoryserver.common.text import one_line

_MOST_FAILURES = 6
_FORGOTTEN_AFTER = 40  # messages
_LONGEST_COMMAND = 160
_LONGEST_CAUSE = 260
_MOST_RUNNERS = 20
_EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch", "replace", "write_file"})

_CAUSE = wording(
    r"\b(?:needs? to|must|requires?|because|(?:is|was) missing|isn['\u2019]t|wasn['\u2019]t|(?:does|is"
    r"|was)(?:n['\u2019]t| not)|expect(?:s|ed)"
    r"|instead of|rather than|the (?:issue|problem|error|cause) (?:is|was))\b"
)
_NEED = re.compile(
    r"^I need to (?:pass|provide|use|set|install|import|give|call|mock|patch|await|quote|escape|specify)\b"
    r".*\b(?:instead of|rather than|because|parameter|argument)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Failure:
    """A command that failed, and what happened since: files edited, commands run, the cause that was named."""

    command: str
    error: str
    index: int
    edited: list[str] = field(default_factory=list)
    between: list[str] = field(default_factory=list)
    cause: str = ""


class Attempts:
    """What was tried lately in one context; `memory` is what an earlier reading left."""

    def __init__(self, memory: dict[str, Any]) -> None:
        self._failures = [_Failure(**given) for given in memory.get("failures", [])]
        self._runners: list[str] = list(memory.get("runners", []))

    def memory(self) -> dict[str, Any]:
        """For the next reading, as JSON."""
        return {"failures": [asdict(failure) for failure in self._failures], "runners": self._runners}

    def listens(self, text: str) -> bool:
        """Whether `text`, as the agent said it, may name the cause of a failure that waits for one."""
        return bool(self._failures) and (_CAUSE.search(text.lower()) is not None or "I need to" in text)

    def hear(self, text: str, told: Iterable[Learning]) -> None:
        """The agent's words after a failure may name its cause; `told` are learnings made of them already."""
        cause = next(filter(_names_cause, (one.text.rstrip(": ") for one in sentences(text))), "")
        if cause and not any(cause.rstrip(".") in learning.content for learning in told):
            self._failures[-1].cause = cause

    def take(self, message: Message, result: ToolResult, clean: Callable[[str], str]) -> Learning | None:
        """The result of a call, and the learning that it completes, if any; `clean` takes secrets out of a text."""
        use = result.use
        self._failures = [one for one in self._failures if message.index - one.index <= _FORGOTTEN_AFTER]
        if use is None or result.outcome not in (Outcome.OK, Outcome.FAILED):
            return None
        worked = result.outcome == Outcome.OK
        if use.name in _EDITS and worked:
            for failure in self._failures:
                failure.edited = list(dict.fromkeys([*failure.edited, *use.files]))[:5]
        if worked and not self._failures and not _may_run_tests(use):
            return None
        command = _shown(use.command, message.cwd)
        if not command or commands.only_looks(command):
            return None
        if worked:
            return self._worked(message, use, command, result.text, clean)
        self._failed(message, command, result.text, clean)
        return None

    def _failed(self, message: Message, command: str, text: str, clean: Callable[[str], str]) -> None:
        error = commands.telling_line(text, clean)
        if error:
            others = [one for one in self._failures if one.command != command]
            self._failures = [*others, _Failure(command, error, message.index)][-_MOST_FAILURES:]

    def _worked(
        self, message: Message, use: ToolUse, command: str, text: str, clean: Callable[[str], str]
    ) -> Learning | None:
        same = [one for one in self._failures if _is_about_the_same(command, one)]
        self._failures = [one for one in self._failures if one not in same]
        for failure in self._failures:
            failure.between = [*failure.between, command][-2:]
        learned = None
        if same:
            learned = (command == same[-1].command and _cured(same[-1])) or _learned(command, same[-1])
        ran = self._tests_run(command, text, clean)
        kind, content, confidence, reason = learned or ran or ("", "", 0.0, "")
        if not content or len(content) > LONGEST_CONTENT:
            return None
        edited = same[-1].edited if same else []
        files = tuple(dict.fromkeys([*edited, *files_named(content)]))[:10]
        reasons = (reason, "seen in the output of commands")
        return Learning(
            kind, content, confidence, message.index, message.uuid, reasons, files, (use.name,), message.time
        )

    def _tests_run(self, command: str, text: str, clean: Callable[[str], str]) -> tuple[str, str, float, str] | None:
        """How tests are run here, the first time they passed."""
        runner = commands.test_runner(command)
        if not runner or runner in self._runners:
            return None
        tally = clean(commands.passed(text))
        if not tally:
            return None
        self._runners = [*self._runners, runner][-_MOST_RUNNERS:]
        return "test", f"Tests are run with `{command}` ({tally}).", 0.8, "a test run that passed"


def _may_run_tests(use: ToolUse) -> bool:
    """As far as its words tell; the secrets of a command that cannot are not looked for."""
    return commands.may_run_tests(use.raw_command) and commands.may_run_tests(use.command)


def _is_about_the_same(command: str, failure: _Failure) -> bool:
    """Whether `command` tries anew what failed: the same program, or another way to what could not be run so."""
    if commands.program_of(command) == commands.program_of(failure.command):
        return True
    return commands.was_misused(failure.error) and commands.is_another_way(command, failure.command)


def _learned(command: str, failure: _Failure) -> tuple[str, str, float, str] | None:
    """What the success of `command` after `failure` teaches: type, content, confidence, reason."""
    what = f"`{failure.command}` failed with \u201c{failure.error}\u201d"
    misused = commands.was_misused(failure.error)
    if failure.edited and failure.cause:
        where = ", ".join(f"`{name}`" for name in failure.edited[:2])
        content = f"{what}. {failure.cause.rstrip('.')}. It passed after a change to {where}."
        return "error_recovery", content, 0.8, "failed, then passed after an edit; the agent had said why"
    if failure.edited or not misused or commands.differ_in_paths_alone(command, failure.command):
        return None
    if command != failure.command:
        return "command", f"{what}; `{command}` worked.", 0.84, "worked after another form had failed"
    return None


def _cured(failure: _Failure) -> tuple[str, str, float, str] | None:
    """What it teaches that the same command worked after others had been run."""
    if failure.edited or not failure.between or not commands.was_misused(failure.error):
        return None
    between = " and ".join(f"`{one}`" for one in failure.between)
    content = f"`{failure.command}` failed with \u201c{failure.error}\u201d; it worked after {between}."
    return "error_recovery", content, 0.84, "failed, then worked after another command"


def _names_cause(text: str) -> bool:
    if len(text) > _LONGEST_CAUSE or text.endswith("?") or is_hedged(text) or is_own_slip(text):
        return False
    if not names_code(text):
        return False
    return _NEED.match(text) is not None or (_CAUSE.search(text.lower()) is not None and not is_plan(text))


def _shown(command: str, cwd: str) -> str:
    """`command` with paths as seen from where it ran; "" for a script of several lines or a very long one."""
    command = command.strip()
    if "\n" in command or len(command) > _LONGEST_COMMAND:
        return ""
    return one_line(command.replace(cwd.rstrip("/") + "/", "") if len(cwd) > 1 else command)
