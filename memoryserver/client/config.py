"""The laptop's settings, the owner of their files; what is nearer the command comes first:

    memory -c KEY=VALUE ...                a flag, for this one run
    MEMORYSERVER_...                       the environment
    <project root>/.memoryserver.json      the project's file
    $MEMORYSERVER_HOME/config.json         the user's file

The project's file comes with the repository, so anybody may have written it. Only harmless keys are read from it: it
cannot choose the server, nor what is kept or leaves the laptop, and a folder that it names must be inside the project.
Of a folder without version control it may also name the project, which `places` reads.
Both files are plain JSON objects, because the hook reads them at every tool call.

Reading never fails: a damaged file or an invalid value is ignored, and `problems` reports it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from memoryserver.client import home_folder, repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

USER_FILE = "config.json"
PROJECT_FILE = ".memoryserver.json"
_MAX_BYTES = 1 << 20
_SWITCHES = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}

Value = str | int | bool | None


class ConfigError(ValueError):
    """An unknown setting, or a value that the setting does not allow. The text is one line."""


class Key:
    """One setting: its default, its environment variable, whether a project may set it, and what it allows.

    `kind` is `text`, `folder`, `number` (from `low` to `high`) or `switch`. Where `owner` is given, it is the only
    command that sets this.
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

    def parse(self, raw: object) -> Value:
        """Return `raw`, a JSON value or a word, as this setting's value. Raises ConfigError."""
        if self.kind == "switch":
            word = str(raw).strip().lower()
            if word in _SWITCHES:
                return _SWITCHES[word]
            raise ConfigError(f"{raw!r} must be true or false")
        if self.kind == "number":
            if isinstance(raw, bool) or not re.fullmatch(r"-?[0-9]{1,9}", str(raw).strip()):
                raise ConfigError(f"{raw!r} must be a whole number")
            if not self.low <= int(str(raw)) <= self.high:
                raise ConfigError(f"{raw} must be from {self.low} to {self.high}")
            return int(str(raw))
        if not isinstance(raw, str) or not raw.strip() or "\0" in raw or "\n" in raw:
            raise ConfigError(f"{raw!r} must be one line of text")
        return raw


KEYS: dict[str, Key] = {
    "server_url": Key(
        "text",
        None,
        "MEMORYSERVER_URL",
        "the server's address, set by login",
        owner="memory login URL",
    ),
    "project": Key(
        "text",
        None,
        "MEMORYSERVER_PROJECT",
        "the project's key, instead of its git remote",
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
        "tool calls after which an agent is asked whether its hypothesis still holds; 0 never asks",
        project=True,
        high=10_000,
    ),
    "ask_learnings": Key("switch", True, "MEMORYSERVER_ASK_LEARNINGS", "ask agents what they learned", project=True),
    "session_titles": Key("switch", True, "MEMORYSERVER_SESSION_TITLES", "send a session's first prompt as its title"),
    "context_chars": Key(
        "number",
        2000,
        "MEMORYSERVER_CONTEXT_CHARS",
        "the most characters of the context that a session starts with; 0 gives none",
        project=True,
        high=9000,
    ),
    "notify": Key("switch", False, "MEMORYSERVER_NOTIFY", "show a desktop notification when capture needs attention"),
    "outbox_mb": Key(
        "number", 200, "MEMORYSERVER_OUTBOX_MB", "megabytes that may wait for the server", low=1, high=1_000_000
    ),
}

_flags: dict[str, Value] = {}


class Resolved:
    """The value of a setting, where it comes from, and the invalid values that were ignored, one line each."""

    __slots__ = ("problems", "source", "value")

    def __init__(self, value: Value, source: str, problems: list[str]) -> None:
        self.value, self.source, self.problems = value, source, problems


def value(name: str, root: Path | None = None) -> Value:
    """Return the value of the setting `name` in the project at `root`; without `root` no project's file is read."""
    return find(name, root).value


def number(name: str, root: Path | None = None) -> int:
    """Return the `value` of a number."""
    resolved = value(name, root)
    return resolved if isinstance(resolved, int) else 0


def text(name: str, root: Path | None = None) -> str:
    """Return the `value` of a text or a folder; empty where there is none."""
    resolved = value(name, root)
    return resolved if isinstance(resolved, str) else ""


def find(name: str, root: Path | None = None) -> Resolved:
    """Return the setting's value and where it comes from. Raises KeyError for a name that is not a setting."""
    key = KEYS[name]
    problems: list[str] = []
    for source, raw in _candidates(name, key, root, problems):
        try:
            return Resolved(key.parse(raw), source, problems)
        except ConfigError as error:
            problems.append(f"{name} in {source}: {error}")
    return Resolved(key.default, "default", problems)


def flag(word: str) -> None:
    """Set `KEY=VALUE` for this process; it takes precedence over everything else. Raises ConfigError."""
    name, equals, raw = word.partition("=")
    if not equals:
        raise ConfigError(f"{word!r} must be KEY=VALUE")
    _flags[name] = key_of(name).parse(raw)


def clear_flags() -> None:
    """Forget what `flag` set."""
    _flags.clear()


def key_of(name: str) -> Key:
    """Return the setting of that name. Raises ConfigError, which suggests the nearest name."""
    if name in KEYS:
        return KEYS[name]
    import difflib

    near = difflib.get_close_matches(name, KEYS, n=1)
    raise ConfigError(f"there is no setting {name!r}; {f'did you mean {near[0]}?' if near else 'see: memory config'}")


def user_file() -> Path:
    """Return the path of the user's file."""
    return home_folder.path() / USER_FILE


def project_file(root: Path) -> Path:
    """Return the path of the file of the project at `root`."""
    return root / PROJECT_FILE


def read(path: Path) -> dict[str, object]:
    """Return the settings in the file at `path`; empty if it does not exist. Raises ConfigError if it is damaged."""
    import json

    try:
        with open(path, "rb") as file:
            content = json.loads(file.read(_MAX_BYTES).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid JSON: {error}; fix or delete the file") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path} must hold a JSON object; fix or delete the file")
    return content


def write(path: Path, name: str, value: object) -> None:
    """Set `name` in the file at `path`, or remove it if `value` is None. Raises ConfigError and OSError."""
    import json

    from memoryserver.common import files
    from memoryserver.common.text import clean_json

    home = files.make_folder(user_file().parent)
    with files.lock(home / ".config.lock"):
        content = read(path)
        content.pop(name, None)
        if value is not None:
            content[name] = value
        mode = 0o600 if path.name == USER_FILE else 0o644
        files.write_atomic(path, json.dumps(clean_json(content), indent=2, ensure_ascii=False) + "\n", mode=mode)


def problems(root: Path | None) -> list[str]:
    """Return everything in the environment and the files that cannot be used, one line each."""
    errors: list[str] = []
    for path in filter(None, [root and project_file(root), user_file()]):
        try:
            content = read(path)
        except ConfigError as error:
            errors.append(str(error))
            continue
        in_project = path.name == PROJECT_FILE
        if in_project and "/" not in str(content.get("project")) and repository.around(str(path.parent)) is None:
            content.pop("project", None)  # it names a folder without version control
        for name in content:
            if name not in KEYS:
                errors.append(f"{path}: there is no setting {name[:60]!r}")
            elif (in_project and not KEYS[name].project) or KEYS[name].owner:
                errors.append(f"{path}: {name} cannot be set in this file")
    for name in KEYS:
        errors += [problem for problem in find(name, root).problems if problem not in errors]
    return errors


def _candidates(name: str, key: Key, root: Path | None, problems: list[str]) -> Iterator[tuple[str, object]]:
    """Yield each source that sets `name` with its raw value, the one that takes precedence first."""
    if name in _flags:
        yield "-c", _flags[name]
    if os.environ.get(key.variable):
        yield key.variable, os.environ[key.variable]
    if key.project and root is not None:
        path = project_file(root)
        raw = _read_or_empty(path).get(name)
        if raw is not None and key.kind == "folder" and not _is_inside(raw):
            problems.append(f"{name} in {path}: a project may only name a folder inside itself")
        elif raw is not None:
            yield str(path), raw
    if not key.owner:
        path = user_file()
        raw = _read_or_empty(path).get(name)
        if raw is not None:
            yield str(path), raw


def _read_or_empty(path: Path) -> dict[str, object]:
    try:
        return read(path)
    except ConfigError:  # `problems` reads it again and reports it
        return {}


def _is_inside(folder: object) -> bool:
    """Return whether a folder that a repository names is inside it, on every system."""
    if not isinstance(folder, str):
        return True  # not a folder at all, which `parse` reports
    parts = re.split(r"[\\/]", folder)
    return not folder.startswith(("/", "\\", "~")) and ":" not in folder and ".." not in parts
