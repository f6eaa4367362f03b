"""Shell commands, read once for everyone: their simple commands, the words of each, and the program behind wrappers.

Reads what agents write: POSIX shell with bash's redirections, quotes, comments and here-documents. It runs at every
tool call, so it compiles no pattern and imports next to nothing. `shell_purpose` says what a command is for.
"""

from __future__ import annotations

from functools import lru_cache

from memoryserver.common.shell_reader import Part, Reader, Script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_COMMAND = 4000  # characters that are read
_KEYWORDS = frozenset({"then", "do", "else", "elif", "if", "while", "until", "!", "{"})
_ENDINGS = frozenset({"fi", "done", "esac", "}"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_COMMAND_FLAGS = frozenset({"-c", "-lc", "-ic", "-ec", "-xc"})
# Programs that run another one; the letters of their options that take a value.
_WRAPPERS = {
    "sudo": "ugpChrtT",
    "doas": "uC",
    "env": "uC",
    "time": "fo",
    "nohup": "",
    "command": "",
    "exec": "a",
    "builtin": "",
    "nice": "n",
    "ionice": "cn",
    "stdbuf": "ioe",
    "timeout": "sk",
    "setsid": "",
    "unbuffer": "",
}
_RUNNERS = (
    *(("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run")),
    *(("bundle", "exec"), ("npm", "exec"), ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "dlx"), ("npx",), ("bunx",)),
)
_RUNNER_VALUES = frozenset({"--with", "--python", "-p", "--extra", "--group", "--project", "--directory", "--env-file"})


@lru_cache(maxsize=16)  # the readers of one tool call ask for the same command
def read(command: str) -> Script:
    """Return the script in the first 4,000 characters of `command`; never raises.

    Parts without a word are left out, unless they write a file.
    """
    return Reader(command[:MAX_COMMAND].strip()).script()


def parts(command: str, depth: int = 2) -> Iterator[Part]:
    """Yield the simple commands in `command`; those in `bash -c '...'` take the place of it, `depth` times."""
    for part in read(command).parts:
        inner = inner_command(part.words) if depth else ""
        if inner:
            yield from parts(inner, depth - 1)
        elif part.words:
            yield part


def last_pipeline(command: str) -> list[Part]:
    """Return the simple commands that the last operator other than a pipe stands before; empty for no command."""
    nonempty = [part for part in read(command).parts if part.words]
    starts = [number for number, part in enumerate(nonempty) if part.before not in ("|", "|&")]
    return nonempty[starts[-1] if starts else 0 :]


def inner_command(words: tuple[str, ...]) -> str:
    """Return the command in `bash -c COMMAND`, "" for words that are no such call of a shell."""
    words = unwrapped(words)
    is_call = len(words) > 2 and base_name(words[0]) in _SHELLS and words[1] in _COMMAND_FLAGS
    return words[2] if is_call else ""


def without_keywords(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return `words` without the shell's own words before a program (`if`, `do`, `!`); a lone `done` is empty."""
    while words and words[0] in _KEYWORDS:
        words = words[1:]
    return () if words[:1] and words[0] in _ENDINGS else words


def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return `words` from the program on: without assignments and wrappers (`sudo -u x`, `env A=1`, `timeout 60`).

    A wrapper that wraps nothing is the program, and so is `command -v`, which only asks.
    """
    while words:
        if is_assignment(words[0]):
            words = words[1:]
            continue
        valued = _WRAPPERS.get(base_name(words[0]))
        if valued is None or words[:2] in (("command", "-v"), ("command", "-V")):
            return words
        rest = _after_options(words[1:], frozenset(f"-{letter}" for letter in valued))
        if base_name(words[0]) == "timeout":
            rest = rest[1:]
        if not rest:
            return words[:1]
        words = rest
    return words


def program_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the program's name without its folder, and its arguments, as it is behind wrappers and runners.

    Runners are `uv run`, `npx` and their like; of `python -m pytest -q` it is `pytest -q`. Empty for assignments alone.
    """
    words = unwrapped(words)
    while words and (runner := runner_of(words)):
        rest = unwrapped(_after_options(words[len(runner) :], _RUNNER_VALUES))
        if not rest:
            break
        words = rest
    if not words:
        return ()
    name = base_name(words[0])
    if is_python(name) and words[1:2] == ("-m",) and len(words) > 2:
        return words[2:]
    return (name, *words[1:])


def runner_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words at the start of `words` that run the program named after them, () for none."""
    return next((runner for runner in _RUNNERS if words[: len(runner)] == runner), ())


def base_name(word: str) -> str:
    """Return the file name in a path; `pytest` of `.venv/bin/pytest`."""
    return word.replace("\\", "/").rsplit("/", 1)[-1]


def is_python(name: str) -> bool:
    """Return whether `name` is that of a Python interpreter (`python`, `python3.12`, `py`)."""
    return name == "py" or (name.startswith("python") and not name[6:].strip("0123456789."))


def is_assignment(word: str) -> bool:
    """Return whether `word` sets a variable (`CI=1`)."""
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def _after_options(words: tuple[str, ...], valued: frozenset[str]) -> tuple[str, ...]:
    """Return `words` without the options at their start; `valued` are those whose value is the next word."""
    while words and words[0].startswith("-") and words[0] != "-":
        if words[0] == "--":
            return words[1:]
        words = words[2 if words[0] in valued else 1 :]
    return words
