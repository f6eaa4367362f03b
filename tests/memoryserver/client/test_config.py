from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryserver.client import config, places


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    home = tmp_path / "home ü"
    home.mkdir()
    monkeypatch.setenv("MEMORYSERVER_HOME", str(home))
    for key in config.KEYS.values():
        monkeypatch.delenv(key.variable, raising=False)
    config.clear_flags()
    yield home
    config.clear_flags()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project ü"
    root.mkdir()
    return root


def put(path: Path, **content: object) -> None:
    path.write_text(json.dumps(content))


def test_what_is_nearer_the_command_comes_first(home: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def look() -> None:
        found = config.find("check_in_calls", root)
        seen.append((found.value, found.source))

    look()
    put(home / "config.json", check_in_calls=20)
    look()
    put(root / ".memoryserver.json", check_in_calls=30)
    look()
    monkeypatch.setenv("MEMORYSERVER_CHECK_IN_CALLS", "40")
    look()
    config.flag("check_in_calls=50")
    look()

    assert seen == [
        (10, "default"),
        (20, str(home / "config.json")),
        (30, str(root / ".memoryserver.json")),
        (40, "MEMORYSERVER_CHECK_IN_CALLS"),
        (50, "-c"),
    ]


@pytest.mark.parametrize("name", [name for name, key in config.KEYS.items() if not key.project])
def test_project_is_not_asked_for_what_could_harm(name: str, home: Path, root: Path) -> None:
    put(root / ".memoryserver.json", **{name: "https://evil.example" if config.KEYS[name].kind == "text" else 9})

    assert config.find(name, root).source == "default"
    assert config.problems(root) == [f"{root / '.memoryserver.json'}: {name} cannot be set in this file"]


@pytest.mark.parametrize(
    "folder", ["/etc", "..", "../x", "a/../../x", "~", "~/x", "C:\\x", "\\\\host\\share", "a\\..\\..\\x"]
)
def test_folder_that_a_project_names_lies_inside_it(folder: str, home: Path, root: Path) -> None:
    put(root / ".memoryserver.json", journal_dir=folder)

    assert places.journal_dir(root) == root / ".claude/journal"
    assert "only name a folder inside itself" in config.problems(root)[0]


def test_folder_inside_the_project_is_taken(home: Path, root: Path) -> None:
    put(root / ".memoryserver.json", journal_dir="notes/journal ü", trajectory_dir="notes")

    assert (places.journal_dir(root), places.trajectory_dir(root)) == (root / "notes/journal ü", root / "notes")


def test_user_may_name_any_folder(home: Path, root: Path) -> None:
    put(home / "config.json", journal_dir=str(home / "elsewhere"))

    assert places.journal_dir(root) == home / "elsewhere"


@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff", b"", b"[" * 100_000])
def test_damaged_file_is_passed_over_and_said(content: bytes, home: Path, root: Path) -> None:
    (home / "config.json").write_bytes(content)
    (root / ".memoryserver.json").write_bytes(content)

    assert config.value("check_in_calls", root) == 10
    assert len(config.problems(root)) == 2


@pytest.mark.parametrize("given", [-1, 10_001, "x", True, 1.5, None, [], {}, "1e3"])
def test_impossible_value_gives_way_to_the_next_source(given: object, home: Path, root: Path) -> None:
    put(root / ".memoryserver.json", check_in_calls=given)
    put(home / "config.json", check_in_calls=7)

    assert config.value("check_in_calls", root) == 7


def test_file_with_bom_is_read(home: Path) -> None:
    (home / "config.json").write_bytes(b'\xef\xbb\xbf{"outbox_mb": 5}')

    assert config.number("outbox_mb") == 5


def test_what_is_written_is_read_and_other_keys_stay(home: Path) -> None:
    put(home / "config.json", of_a_newer_version=1)
    config.write(config.user_file(), "outbox_mb", 5)
    config.write(config.user_file(), "journal_dir", "ü")
    config.write(config.user_file(), "outbox_mb", None)

    assert json.loads(config.user_file().read_text()) == {"of_a_newer_version": 1, "journal_dir": "ü"}


def test_damaged_file_is_not_written_over(home: Path) -> None:
    (home / "config.json").write_text("{ mine")

    with pytest.raises(config.ConfigError, match="not valid JSON"):
        config.write(config.user_file(), "outbox_mb", 5)

    assert (home / "config.json").read_text() == "{ mine"


@pytest.mark.parametrize("word", ["x", "check_in_calls=x", "check_in=5", "="])
def test_flag_that_says_nothing_is_refused(word: str, home: Path) -> None:
    with pytest.raises(config.ConfigError):
        config.flag(word)


def test_file_may_name_the_project_of_a_folder_without_version_control_alone(home: Path, root: Path) -> None:
    put(root / ".memoryserver.json", project="notes")
    assert config.problems(root) == []

    put(root / ".memoryserver.json", project="github.com/acme/shop")
    problem = f"{root / '.memoryserver.json'}: project cannot be set in this file"
    assert config.problems(root) == [problem]

    (root / ".git").mkdir()
    put(root / ".memoryserver.json", project="notes")
    assert config.problems(root) == [problem]
