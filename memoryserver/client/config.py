"""The laptop's settings, the owner of their files; what is nearer the command comes first:

    memory -c KEY=VALUE ...                a flag, for this one run
    MEMORYSERVER_...                       the environment
    <project root>/.memoryserver.json      the project's file
    $MEMORYSERVER_HOME/config.json         the user's file

The project's file comes with the repository, whoever wrote that. So it is asked for the harmless keys alone: which
server is used, what is kept and what leaves the laptop are none of its business, and a folder that it names lies
inside the project. Both files are plain JSON objects, because the hook reads them at every tool call.

Reading never fails: what is damaged or no possible value is passed over, and `problems` says so.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from memoryserver.client import home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

USER_FILE = "config.json"
PROJECT_FILE = ".memoryserver.json"
_MAX_BYTES = 1 << 20
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}

Value = str | int | bool | None


class ConfigError(ValueError):
    """A setting that cannot be: an unknown key, or a value out of its range. The text is one line."""


class Key:
    """One setting: its default, its variable, whether a project may say it, and what it takes.

    `kind` is `text`, `folder`, `number` (within `low` and `high`) or `switch`; `owner` names the command that alone
    sets it.
    """

    __slots__ = ("about", "default", "high", "kind", "low", "owner", "project", "variable")

    def __init__(
        self,
        kind: str,
        default: Value,
        variable: str,
        about: str,
        *,
        project: bool = False,
        low: int = 0,
        high: int = 0,
        owner: str = "",
    ) -> None:
        self.kind, self.default, self.variable, self.about = kind, default, variable, about
        self.project, self.low, self.high, self.owner = project, low, high, owner

    def parse(self, given: object) -> Value:
        """`given`, a JSON value or a word, as this setting's value. Raises ConfigError."""
        if self.kind == "switch":
            word = str(given).strip().lower()
            if word in _WORDS:
                return _WORDS[word]
            raise ConfigError(f"{given!r} is neither true nor false")
        if self.kind == "number":
            if isinstance(given, bool) or not re.fullmatch(r"-?[0-9]{1,9}", str(given).strip()):
                raise ConfigError(f"{given!r} is no whole number")
            if not self.low <= int(str(given)) <= self.high:
                raise ConfigError(f"{given} is not within {self.low} and {self.high}")
            return int(str(given))
        if not isinstance(given, str) or not given.strip() or "\0" in given or "\n" in given:
            raise ConfigError(f"{given!r} is no line of text")
        return given


KEYS: dict[str, Key] = {
    "server_url": Key(
        "text", None, "MEMORYSERVER_URL", "the server's address; its token is kept beside it", owner="memory login URL"
    ),
    "project": Key(
        "text",
        None,
        "MEMORYSERVER_PROJECT",
        "the project's name, in place of its git remote",
        owner="export MEMORYSERVER_PROJECT=NAME",
    ),
    "journal_dir": Key(
        "folder", ".claude/journal", "MEMORYSERVER_JOURNAL_DIR", "the GHAP journal, below the project", project=True
    ),
    "trajectory_dir": Key(
        "folder", ".wink/trajectory", "MEMORYSERVER_TRAJECTORY_DIR", "where assessments are written", project=True
    ),
    "check_in_calls": Key(
        "number",
        10,
        "MEMORYSERVER_CHECK_IN_CALLS",
        "tool calls until an agent is asked whether its hypothesis stands; 0 never asks",
        project=True,
        high=10_000,
    ),
    "context_chars": Key(
        "number",
        2000,
        "MEMORYSERVER_CONTEXT_CHARS",
        "the longest context that a session begins with; 0 gives none",
        project=True,
        high=9000,
    ),
    "notify": Key("switch", False, "MEMORYSERVER_NOTIFY", "show on the desktop what capture wants a person for"),
    "outbox_mb": Key(
        "number", 200, "MEMORYSERVER_OUTBOX_MB", "megabytes that may wait for the server", low=1, high=1_000_000
    ),
}

_flags: dict[str, Value] = {}


class Found:
    """The value of a setting, where it comes from, and what was passed over on the way, each in one line."""

    __slots__ = ("problems", "source", "value")

    def __init__(self, value: Value, source: str, problems: list[str]) -> None:
        self.value, self.source, self.problems = value, source, problems


def value(name: str, root: Path | None = None) -> Value:
    """The value of the setting `name` in the project at `root`; without `root` no project is asked."""
    return find(name, root).value


def number(name: str, root: Path | None = None) -> int:
    """`value` of a number."""
    found = value(name, root)
    return found if isinstance(found, int) else 0


def text(name: str, root: Path | None = None) -> str:
    """`value` of a text or a folder; empty where there is none."""
    found = value(name, root)
    return found if isinstance(found, str) else ""


def find(name: str, root: Path | None = None) -> Found:
    """`value` with where it comes from. Raises KeyError for a name that is no setting."""
    key = KEYS[name]
    problems: list[str] = []
    for source, given in _given(name, key, root, problems):
        try:
            return Found(key.parse(given), source, problems)
        except ConfigError as error:
            problems.append(f"{name} in {source}: {error}")
    return Found(key.default, "default", problems)


def flag(word: str) -> None:
    """Let `KEY=VALUE` hold for this process, before everything else. Raises ConfigError."""
    name, equals, given = word.partition("=")
    if not equals:
        raise ConfigError(f"{word!r} is not KEY=VALUE")
    _flags[name] = known(name).parse(given)


def clear_flags() -> None:
    """Forget what `flag` was told."""
    _flags.clear()


def known(name: str) -> Key:
    """The setting of that name. Raises ConfigError that names the nearest."""
    if name in KEYS:
        return KEYS[name]
    import difflib

    near = difflib.get_close_matches(name, KEYS, n=1)
    raise ConfigError(f"there is no setting {name!r}; {f'did you mean {near[0]}?' if near else 'see: memory config'}")


def user_file() -> Path:
    """The user's file."""
    return home_folder.path() / USER_FILE


def project_file(root: Path) -> Path:
    """The file of the project at `root`."""
    return root / PROJECT_FILE


def read(path: Path) -> dict[str, object]:
    """The settings in the file at `path`, none where it is missing. Raises ConfigError where it is damaged."""
    import json

    try:
        with open(path, "rb") as file:
            content = json.loads(file.read(_MAX_BYTES).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no JSON: {error}; mend or delete it") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path} holds no JSON object; mend or delete it")
    return content


def write(path: Path, name: str, given: object) -> None:
    """Put a setting into the file at `path`, or take it out where `given` is None. Raises ConfigError and OSError."""
    import json

    from memoryserver.common import files

    home = files.make_folder(user_file().parent)
    with files.lock(home / ".config.lock"):
        content = read(path)
        content.pop(name, None)
        if given is not None:
            content[name] = given
        mode = 0o600 if path.name == USER_FILE else 0o644
        files.write_atomic(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n", mode=mode)


def problems(root: Path | None) -> list[str]:
    """Everything in environment and files that cannot be used, each in one line."""
    found: list[str] = []
    for path in filter(None, [root and project_file(root), user_file()]):
        try:
            content = read(path)
        except ConfigError as error:
            found.append(str(error))
            continue
        in_project = path.name == PROJECT_FILE
        for name in content:
            if name not in KEYS:
                found.append(f"{path}: there is no setting {name[:60]!r}")
            elif (in_project and not KEYS[name].project) or KEYS[name].owner:
                found.append(f"{path}: {name} is not taken from there")
    for name in KEYS:
        found += [one for one in find(name, root).problems if one not in found]
    return found


def _given(name: str, key: Key, root: Path | None, problems: list[str]) -> Iterator[tuple[str, object]]:
    if name in _flags:
        yield "-c", _flags[name]
    if os.environ.get(key.variable):
        yield key.variable, os.environ[key.variable]
    if key.project and root is not None:
        path = project_file(root)
        given = _from(path).get(name)
        if given is not None and key.kind == "folder" and not _is_inside(given):
            problems.append(f"{name} in {path}: a project may only name a folder inside itself")
        elif given is not None:
            yield str(path), given
    if not key.owner:
        path = user_file()
        given = _from(path).get(name)
        if given is not None:
            yield str(path), given


def _from(path: Path) -> dict[str, object]:
    try:
        return read(path)
    except ConfigError:  # `problems` reads it again and says so
        return {}


def _is_inside(given: object) -> bool:
    """Whether a folder that a repository names lies in it, on every system."""
    if not isinstance(given, str):
        return True  # no folder at all, which `parse` says
    parts = re.split(r"[\\/]", given)
    return not given.startswith(("/", "\\", "~")) and ":" not in given and ".." not in parts
