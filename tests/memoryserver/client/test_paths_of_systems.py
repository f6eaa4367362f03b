"""The paths that the laptop's code makes, as macOS, Linux and Windows have them, blanks and all."""

from __future__ import annotations

import json
import ntpath
import os
import posixpath
import tomllib
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import ModuleType

import pytest

from capture.local.queue.files import QueueFile, QueueWriter
from memorycli.agents import claude_code, codex, handlers, servers, settings_file
from memoryserver.client import config, context_cache, home_folder, places
from memoryserver.client.outbox import Outbox
from memoryserver.common import files
from trajectory.local import store

PLACES = ["with blank", "grüße", "日本語", "emoji 🙂", "it's", 'quo"te', "a%b$c&d", "~x", "-dash", "comma,semi;colon"]
INTERPRETERS = [
    PurePosixPath("/opt/homebrew/Cellar/python@3.12/3.12.1/bin/python3.12"),
    PurePosixPath("/Users/Jörg Müller/Library/Application Support/memory/.venv/bin/python"),
    PurePosixPath("/home/o'brien/.venv/bin/python"),
    PureWindowsPath(r"C:\Program Files\Python312\python.exe"),
    PureWindowsPath(r"C:\Users\Jörg Müller\AppData\Local\memory\Scripts\python.exe"),
    PureWindowsPath(r"\\server\share\python.exe"),
]
# Names that Windows forbids, by their letters or altogether
_FORBIDDEN = set('<>:"/\\|?*') | {chr(number) for number in range(32)}
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


def is_name_everywhere(name: str) -> bool:
    """Whether every system takes `name` for a file of its own."""
    stem = name.split(".", maxsplit=1)[0].lower()
    return bool(name) and _FORBIDDEN.isdisjoint(name) and stem not in _RESERVED and not name.endswith((".", " "))


@pytest.fixture(params=PLACES)
def odd(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an odd name that is the user's, the home's, and the project's."""
    folder = tmp_path / str(request.param)
    (folder / "project" / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("MEMORYSERVER_HOME", str(folder / "home"))
    for name in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "CLAUDE_PROJECT_DIR",
        *(key.variable for key in config.KEYS.values()),
    ):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_everything_is_kept_in_folders_of_any_name(odd: Path) -> None:
    project = odd / "project"
    assert places.project_root(project) == project
    assert claude_code.settings_path("user", project) == odd / ".claude" / "settings.json"
    assert codex.folder("project", project) == project / ".codex"

    config.write(config.user_file(), "outbox_mb", 5)
    Outbox(home_folder.path(), "things").add("a", 1)
    store.trajectory("session", "agent").append({"tool_name": "x"})
    context_cache.store(places.project_key(project), "http://server", "said")
    QueueWriter(home_folder.path() / "learning_queue").write(QueueFile("c", "2026-01-01T00:00:00Z", (1, 2), 0, []))
    settings_file.apply(settings_file.Change(odd / "x.json", None, "{}"))
    settings_file.apply(settings_file.Change(odd / "x.json", "{}", "{ }"))

    made = [path for path in home_folder.path().rglob("*") if path.is_file()]
    assert [path.name for path in made if not is_name_everywhere(path.name)] == []
    assert config.number("outbox_mb") == 5
    assert len(settings_file.backups_of(odd / "x.json")) == 1


@pytest.mark.parametrize("name", [*PLACES, "con", "NUL", "a:b", "a/b", "a\\b", "x" * 300, "", ".", "..", "a\x00b", "A"])
def test_files_named_by_an_id_have_names_that_every_system_takes(name: str) -> None:
    assert is_name_everywhere(store.file_name(name))
    assert len(os.fsencode(store.file_name(name))) <= 100


@pytest.mark.parametrize("interpreter", INTERPRETERS, ids=str)
def test_command_line_for_a_shell_gives_the_words_back(interpreter: PurePosixPath | PureWindowsPath) -> None:
    windows = isinstance(interpreter, PureWindowsPath)
    line = handlers.shell_words([str(interpreter), "-P", "hook"], windows=windows)

    import shlex

    words = shlex.split(line)  # as `sh` takes it apart, and Git Bash on Windows
    assert words[1:] == ["-P", "hook"]
    assert type(interpreter)(words[0]) == interpreter


@pytest.mark.parametrize("interpreter", INTERPRETERS, ids=str)
def test_command_line_is_the_same_behind_json_and_toml(interpreter: PurePosixPath | PureWindowsPath) -> None:
    argv = [str(interpreter), "-P", "-m", "memorycli", "mcp"]

    registered = tomllib.loads(servers.add_toml("", argv))["mcp_servers"]["memoryserver"]
    assert [registered["command"], *registered["args"]] == argv
    entry = json.loads(json.dumps(handlers.exec_form(argv, 5)))
    assert handlers.command_words(entry) == argv


@pytest.mark.parametrize(
    ("folder", "inside"),
    [
        ("notes/journal", True),
        (".claude/journal", True),
        ("a..b/c", True),
        ("..", False),
        ("a/../..", False),
        (r"a\..\..", False),
        ("/etc", False),
        (r"\etc", False),
        (r"C:\x", False),
        ("C:x", False),
        (r"\\server\share", False),
        ("~/x", False),
    ],
)
@pytest.mark.parametrize("system", [posixpath, ntpath], ids=["posix", "windows"])
def test_project_names_only_folders_inside_itself_on_every_system(
    folder: str, inside: bool, system: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MEMORYSERVER_JOURNAL_DIR", raising=False)
    (tmp_path / ".memoryserver.json").write_text(json.dumps({"journal_dir": folder}))

    taken = config.text("journal_dir", tmp_path) == folder

    assert taken is inside
    if taken:
        root = "C:\\project" if system is ntpath else "/project"
        joined = system.normpath(system.join(root, folder))
        assert system.commonpath([root, joined]) == root


def test_home_may_begin_with_a_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMORYSERVER_HOME", "~/memory ü")

    assert home_folder.path() == tmp_path / "memory ü"
    assert files.make_folder(home_folder.path()).is_dir()
