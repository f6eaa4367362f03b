"""Reads a shell command's text and output: its program, its error."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from capture.local.extraction.check_commands import form_of
from capture.local.extraction.patterns import wording
from memoryserver.common import shell, shell_purpose
from memoryserver.common.text import one_line, printable, shorten

LONGEST_ERROR = 160

# Errors of the command itself or of the place it ran in, not of the code that it ran.
_MISUSE = wording(
    r"command not found|not recognized|no module named|modulenotfounderror|cannot find module|unsupported engine"
    r"|un(?:known|recogni[sz]ed) (?:option|flag|command|arguments?|subcommand)|unexpected argument|did you mean"
    r"|invalid (?:option|choice|flag|argument)|missing script|no such (?:command|option|subcommand|image|service)"
    r"|permission denied|externally-managed-environment|no tests (?:ran|found|collected)|\b0 selected|err_pnpm"
    r"|eaddrinuse|address already in use|econnrefused|connection refused|could not connect|cannot connect to"
    r"|not installed|must be run|not a git repository|requires? (?:node|python|version)|(?:is|are) not set\b"
    r"|no go files|cannot find main module|not authenticated|authentication (?:failed|required)|no configuration"
    r"|already checked out|no version is set|version .{0,60}\b(?:lower|older|newer|higher) than\b"
    r"|consider adding one of the following versions|no matches found:|syntax error near unexpected token"
)
# Every match of `_MISUSE` contains one of these; searching a long output for them takes a tenth of the time.
_MISUSE_HINTS = (
    *("not found", "not recognized", "no module", "modulenotfound", "cannot", "unsupported engine", "unknown "),
    *("unrecogni", "unexpected argument", "did you mean", "invalid ", "missing script", "no such ", "denied"),
    *("externally-managed", "no tests ", "0 selected", "err_pnpm", "address", "eaddrinuse", "refused", "could not"),
    *("not installed", "must be run", "not a git", "require", "not set", "no go files", "authenticat", "no config"),
    *(
        "lower than",
        "older than",
        "newer than",
        "higher than",
        "already checked",
        "no version is",
        "consider adding",
        "no matches found",
        "syntax error near",
    ),
)
_QUOTING = ("no matches found:", "syntax error near unexpected token")
# Errors that a shell or a task runner prints itself, so that they count behind a pipe, whose end decides its status.
_MASKED = re.compile(
    r"^(?:\S+: (?:(?:line )?\d+: )?)?(?P<program>[\w.+-]+): (?:command )?not found$"
    r"|^\S+: command not found: (?P<zsh>[\w.+-]+)$"
    r"|^No version is set for command|^Consider adding one of the following versions",  # asdf
    re.MULTILINE,
)
_MASKED_HINTS = (": command not found", ": not found", "No version is set", "Consider adding one of")
_ERROR_WORDS = wording(
    r"error|exception|fail|not found|cannot|can't|no such|denied|refused|invalid|unknown|missing|fatal|panic"
)
_UNQUOTED = re.compile(r"[\"'\\]")
_TALLY = re.compile(
    r"^\W*(?:FAILED\b|\d+ (?:failed|passed|errors?)\b|=+|Exit code \d+\W*$|npm ERR! (?:code|errno)|make: \*\*\*)"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PROGRAMS_WITH_SUBCOMMANDS = _words(
    "git docker cargo go make just kubectl gh npm pnpm yarn bun pip uv terraform aws gcloud helm dotnet mix rails"
)
_PREFIXES = _words("sudo doas env")
_INTERPRETERS = _words("node bash sh")
_TEST_RUNNERS = _words("pytest vitest jest mocha tox nox cypress playwright rspec phpunit ctest unittest")
_TEST_TASK = re.compile(
    r"(?:\S+/)?(?:cargo|go|mix|dotnet|swift|gradlew?|mvn|make|just|npm|pnpm|yarn|bun|deno|rake|rails)"
    r" (?:run |nextest )?(?:test|tests|check)(?::[\w-]+)?(?=\s|$)"
)
_RULE_LINE = re.compile(r"[-=_*~^\s]+")
_PYTEST_ERROR = re.compile(r"E\s{2,}\S")


@lru_cache(maxsize=512)
def program_of(command: str) -> str:
    """Return the program in `command`, "" if unclear: `pytest` of `cd a && uv run pytest`, `git push` with its verb.

    The first program of the last pipeline decides; of an interpreter, the script that it runs.
    """
    pipeline = shell.last_pipeline(command)
    words = shell.program_words(pipeline[0].words) if pipeline else ()
    if words and (shell.is_python(words[0]) or words[0] in _INTERPRETERS):
        words = words[1:]
    if not words or words[0].startswith(("-", "<", "(", "{")):
        return ""
    name, verb = shell.base_name(words[0]), shell_purpose.verb_of(words)
    return f"{name} {verb}" if name in _PROGRAMS_WITH_SUBCOMMANDS and verb else name


def teaches_nothing(command: str) -> bool:
    """Return whether the outcome of `command` teaches nothing: it only looks or waits, or its program is unclear."""
    return not program_of(command) or changes_nothing(command)


@lru_cache(maxsize=512)
def changes_nothing(command: str) -> bool:
    """Return whether `command` only looks or waits, so that nothing can have come to work by it."""
    return shell_purpose.only_looks(command) or shell_purpose.waits(command)


def differ_only_in_folders(first: str, second: str) -> bool:
    """Return whether two commands are the same but for the folders that they run in and those of their arguments.

    What comes behind a pipe does not count.
    """

    def names(command: str) -> list[str]:
        parts = [part for part in shell.parts(command) if part.words[0] != "cd" and part.before not in ("|", "|&")]
        return [shell.base_name(word) for part in parts for word in part.words]

    return names(first) == names(second)


def is_variant(command: str, failed: str) -> bool:
    """Return whether `command` contains all words of `failed`, or both run tests."""
    return contains(command, failed) or (test_runner(failed) != "" and test_runner(command) != "")


def contains(command: str, failed: str) -> bool:
    """Return whether `command` contains all words of `failed`, of which there are several."""
    words = set(re.findall(r"\w+", failed))
    return len(words) > 1 and words <= set(re.findall(r"\w+", command))


def is_misuse(error: str) -> bool:
    """Return whether `error` says that the command or its environment was wrong, not the code that it worked on."""
    lowered = error.lower()
    return any(hint in lowered for hint in _MISUSE_HINTS) and _MISUSE.search(lowered) is not None


def is_unquoted(error: str) -> bool:
    """Return whether `error` is a shell's about characters that it took for its own, as the brackets in a path."""
    return any(hint in error for hint in _QUOTING)


def only_adds_a_prefix(command: str, failed: str) -> bool:
    """Return whether `command` is `failed` behind something that changes how it runs: `sudo`, `KEY=value`, `uv run`.

    What comes before the last pipeline, such as a `cd`, and behind a pipe does not count.
    """
    words, failed_words = _last_words(command), _last_words(failed)
    prefix = words[: len(words) - len(failed_words)]
    if not failed_words or not prefix or words[len(prefix) :] != failed_words:
        return False
    return shell.runner_of(prefix) == prefix or all(shell.is_assignment(word) or word in _PREFIXES for word in prefix)


def _last_words(command: str) -> tuple[str, ...]:
    pipeline = shell.last_pipeline(command)
    return tuple(pipeline[0].words) if pipeline else ()


def differ_only_in_quotes(first: str, second: str) -> bool:
    """Return whether two different commands are the same without quotes and backslashes."""
    return first != second and _UNQUOTED.sub("", first) == _UNQUOTED.sub("", second)


def is_masked_failure(command: str, output: str) -> bool:
    """Return whether `output` shows that a program in `command` did not start, although a pipe hides the status."""
    if "|" not in command or not any(hint in output for hint in _MASKED_HINTS):
        return False
    return len(shell.last_pipeline(command)) > 1 and _MASKED.search(output) is not None


def missing_program(error: str) -> str:
    """Return the program that was not found according to `error`, "" if none is named."""
    match = _MASKED.search(error)
    return (match["program"] or match["zsh"] or "") if match else ""


def error_line(output: str, clean: Callable[[str], str]) -> str:
    """Return the line of a failed command's output that says what went wrong; "" where none does.

    `clean` redacts secrets. It gets the line with its neighbours, since a line break may split a secret in two.
    """
    output = clean(output) if "private" in output.lower() else printable(output)
    lines = [line.strip(" =\t") for line in output.split("\n")]
    lines = [line for line in lines if line and not _RULE_LINE.fullmatch(line)]
    number = _error_line_number(output, lines)
    if number < 0:
        return ""
    context = [lines[number - 1] if number else "", lines[number], lines[number + 1] if number + 1 < len(lines) else ""]
    cleaned = clean("\n".join(context)).split("\n")
    line = cleaned[1] if len(cleaned) == len(context) else clean(lines[number])
    return shorten(one_line(re.sub(r"^E\s{2,}|^npm ERR! ", "", line)), LONGEST_ERROR)


def _error_line_number(output: str, lines: Sequence[str]) -> int:
    numbered = range(len(lines))
    lowered = [line.lower() for line in lines]
    if is_misuse(output):
        first_misuse = next((number for number in numbered if _MISUSE.search(lowered[number])), -1)
        if first_misuse >= 0:
            return first_misuse
    pytest_error = next((number for number in numbered if _PYTEST_ERROR.match(lines[number])), -1)
    if pytest_error >= 0:
        return pytest_error
    errors = (number for number in reversed(numbered) if _ERROR_WORDS.search(lowered[number]))
    return next((number for number in errors if not _TALLY.match(lines[number])), -1)


def tests_one_file(command: str) -> bool:
    """Return whether `command` runs tests, but of single files or names only."""
    return test_runner(command) != "" and form_of(command) is None


def test_runner(command: str) -> str:
    """Return the part of a test command that says how tests are run, without what is tested; "" if it runs none."""
    pipeline = shell.last_pipeline(command)
    last = pipeline[0].text if pipeline else ""
    if program_of(command) in _TEST_RUNNERS:
        return re.split(r"\s(?=-(?!m\b)|\S*[/.:])", last)[0]
    match = _TEST_TASK.match(last)
    return match[0] if match else ""
