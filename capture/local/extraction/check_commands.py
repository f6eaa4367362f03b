"""Reads the commands that check a project (tests, lint, types, format, build): how they are run, without what for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from memoryserver.common import shell
from memoryserver.common.shell_reader import Part

_HINTS = (
    "test",
    "lint",
    "check",
    "build",
    "fmt",
    "format",
    "typ",
    "cov",
    "spec",
    "vet",
    "compile",
    "mypy",
    "pyright",
    "tsc",
    "tox",
    "nox",
    "ruff",
    "clippy",
    "prettier",
    "verify",
    "validate",
    "pre-commit",
    "precommit",
    " ci",
    "-ci",
)
_KINDS = (  # what a command checks, by a word in the name of its program or task; the first that matches
    ("coverage", re.compile(r"cov(?:erage)?\b")),
    ("types", re.compile(r"\b(?:mypy|b?pyright|ty|tsc|pyre|type[-_]?(?:check|s)?)\b|typecheck")),
    ("tests", re.compile(r"(?:^|[\W_])(?:tests?|pytest|spec|specs|e2e|vitest|jest|tox|nox|rspec|nextest)(?![a-z])")),
    ("format", re.compile(r"\b(?:fmt|format|gofmt|rustfmt|prettier|black|isort)\b")),
    ("lint", re.compile(r"\b(?:lint|linter|ruff|flake8|pylint|eslint|clippy|vet|golangci-lint)\b")),
    ("checks", re.compile(r"(?:^|[\W_])(?:checks?|ci|verify|validate|pre-?commit)(?![a-z])")),
    ("build", re.compile(r"\b(?:build|compile)\b")),
)
_TASK_RUNNERS = frozenset({"mise", "just", "task", "poe", "nox", "tox", "hatch", "invoke", "inv", "rake", "mage", "nx"})
_SCRIPT_RUNNERS = frozenset({"make", "npm", "pnpm", "yarn", "bun", "deno", "turbo"})
_TOOLCHAINS = frozenset({"cargo", "go", "dotnet", "mix", "swift", "mvn", "gradle", "gradlew"})
_DEFAULT_TASKS = frozenset({"test", "tests", "build", "lint", "check", "format", "t", "all", "typecheck"})
_BESIDE = frozenset({"cd", "echo", "true", "pwd", "date"})
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+""")
_REDIRECTION = re.compile(r"\d?(?:>>?|<|&>)(?:&\d|\S+)?")
_VERBOSITY = re.compile(
    r"-[vqxs]+|--(?:verbose|quiet|silent|color|colour|no-header|exitfirst)|--(?:tb|color|colour|timeout|maxfail)=\S+"
)
_VALUED_VERBOSITY = frozenset({"-timeout", "--timeout", "--maxfail", "--tb", "-count"})
_NAMES_ONE = frozenset({"-k", "-run", "--run", "-t", "--grep", "-g", "--filter", "--test", "--testNamePattern", "--lf"})
_FILE = re.compile(r"\.(?:py|[cm]?[jt]sx?|go|rs|rb|java|kt|exs?|php|cs|swift|scala|feature)(?:[:#]\S*)?$")
_SELECTION = re.compile(
    r"""-m\s|-tags[ =]|--tags?\b|--features\b|--workspace\b|--project\b|--cov\b|-race\b|--all-files"""
)
_MAX_PARTS = 6
_SHORTEST_FORM = 6
_LONGEST_FORM = 180


class CheckForm(NamedTuple):
    """How checks are run: `text` as it can be typed, `kinds` what is checked, in order.

    `is_own` tells the ways that only this project has (tasks of its own, a selection of tests, an environment) from
    those that anybody would try (`pytest`, `cargo test`); `in_row` that several commands are run one after another.
    """

    text: str
    kinds: tuple[str, ...]
    is_own: bool
    in_row: bool


def may_check(command: str) -> bool:
    """Return whether the words of `command` allow it to check something."""
    return any(hint in command for hint in _HINTS)  # a quarter of the time of a regular expression for all


@lru_cache(maxsize=512)  # a session runs the same commands again and again, and several callers ask for the form
def form_of(command: str) -> CheckForm | None:
    """Return how `command` runs checks; None if it does anything else, or checks one test or file alone.

    Output options, redirections, and what follows a pipe or `--` are left out.
    """
    parts = [part for part in shell.parts(command) if part.before not in ("|", "|&")]
    if not parts or len(parts) > _MAX_PARTS or any(part.before == "||" for part in parts):
        return None
    texts: list[str] = []
    kinds: list[str] = []  # in the order of the commands
    is_own, activation = False, ""
    for part in parts:
        words = shell.program_words(shell.without_keywords(part.words))
        if words and words[0] in _BESIDE:
            continue
        if words[:1] in (("source",), (".",)) and part.text.rstrip().endswith("activate"):
            activation, is_own = part.text, True
            continue
        kind, text = _kind_of(words), _text_of(part)
        if not kind or not text:
            return None
        texts += [text] if text not in texts else []
        kinds += [kind] if kind not in kinds else []
        is_own = is_own or _is_own(words, part)
    text = " && ".join([activation, *texts] if activation else texts)
    if not kinds or not _SHORTEST_FORM <= len(text) <= _LONGEST_FORM:
        return None
    return CheckForm(text, tuple(kinds), is_own, len(texts) > 1)


def _kind_of(words: tuple[str, ...]) -> str:
    """Return what the program checks, "" if it is not known to check anything."""
    if not words:
        return ""
    name = shell.base_name(words[0])
    task = _task_of(words)
    if name in _TASK_RUNNERS or name in _SCRIPT_RUNNERS or name in _TOOLCHAINS:
        named = f"{name} {task}" if name in ("nox", "tox") else task
    elif words[0].startswith(("./", "scripts/", "bin/", "script/")) or "/" in words[0]:
        named = name
    else:
        named = f"{name} {task}" if name in ("ruff", "manage.py") else name
    if name == "pytest" and any(word.startswith("--cov") for word in words):
        return "coverage"
    return next((kind for kind, pattern in _KINDS if pattern.search(named)), "")


def _task_of(words: tuple[str, ...]) -> str:
    """Return the task that a runner is asked for: `test:ci` of `mise run test:ci`, "" if none is named."""
    tasks = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return next((task for task in tasks if task not in ("run", "exec", "r")), "")


def _is_own(words: tuple[str, ...], part: Part) -> bool:
    name, task = shell.base_name(words[0]), _task_of(words)
    if name in _TASK_RUNNERS or part.words[0].startswith(("./", "scripts/", "bin/", "script/")):
        return True
    if name in _SCRIPT_RUNNERS:
        return task not in _DEFAULT_TASKS
    return shell.is_assignment(part.words[0]) or _SELECTION.search(part.text) is not None


def _text_of(part: Part) -> str:
    """Return the command of `part` as typed without output options and redirections; "" if it names one test."""
    kept: list[str] = []
    words = iter(_WORD.findall(part.text.replace("\\\n", " ")))
    for word in words:
        if word == "--":
            break
        if word in _NAMES_ONE or word.partition("=")[0] in _NAMES_ONE or "::" in word:
            return ""
        if word in _VALUED_VERBOSITY:
            next(words, None)
            continue
        if _REDIRECTION.fullmatch(word):
            if word.endswith((">", "<")):
                next(words, None)
            continue
        if _VERBOSITY.fullmatch(word):
            continue
        if kept and _FILE.search(word) and not shell.is_python(kept[-1]):
            return ""
        kept.append(word)
    return " ".join(kept)
