from __future__ import annotations

import json
from pathlib import Path

import pytest

from memorycli.delivery import connection
from memoryserver.client import config
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    for key in config.KEYS.values():
        monkeypatch.delenv(key.variable, raising=False)
    return Laptop(tmp_path, monkeypatch, capsys)


def test_what_is_set_is_got_until_it_is_unset(memory: Laptop) -> None:
    assert memory("config", "get", "check_in_calls").out == "10\n"
    assert memory("config", "set", "check_in_calls", "25").status == 0
    assert memory("config", "get", "check_in_calls").out == "25\n"
    memory("config", "unset", "check_in_calls")
    assert memory("config", "get", "check_in_calls").out == "10\n"


def test_project_comes_before_the_user_and_the_flag_before_both(memory: Laptop) -> None:
    memory("config", "set", "check_in_calls", "25")
    memory("config", "set", "--project", "check_in_calls", "30")

    assert memory("config", "get", "check_in_calls").out == "30\n"
    assert memory("-c", "check_in_calls=5", "config", "get", "check_in_calls").out == "5\n"
    assert json.loads((memory.project / ".memoryserver.json").read_text()) == {"check_in_calls": 30}


def test_list_says_where_each_comes_from(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    connection.store("https://memory.example.org", "secret")
    memory("config", "set", "notify", "yes")
    monkeypatch.setenv("MEMORYSERVER_OUTBOX_MB", "7")

    said = memory("config")

    assert said.out.startswith(
        f"server_url = https://memory.example.org  ({memory.home}/credentials.json)\n    the server's"
    )
    assert f"\nnotify = true  ({memory.home}/config.json)\n" in said.out
    assert "\noutbox_mb = 7  (MEMORYSERVER_OUTBOX_MB)\n" in said.out
    assert "secret" not in said.out
    assert memory("config", "list", "--json").json()["settings"]["outbox_mb"] == {
        "value": 7,
        "source": "MEMORYSERVER_OUTBOX_MB",
    }


def test_value_that_something_nearer_hides_is_said(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_OUTBOX_MB", "7")

    said = memory("config", "set", "outbox_mb", "300")

    assert said.status == 0
    assert said.err.endswith("but MEMORYSERVER_OUTBOX_MB takes precedence with 7\n")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["set", "outbox_mb", "many"], 1, "'many' must be a whole number"),
        (["set", "outbox_mb", "0"], 1, "0 must be from 1 to"),
        (["set", "notify", "perhaps"], 1, "must be true or false"),
        (["set", "server_url", "http://x"], 2, "cannot be set here; use: memory login URL"),
        (["set", "--project", "outbox_mb", "5"], 2, "cannot be set in a project's file"),
        (["set", "nothing", "5"], 2, "'nothing' is unknown"),
        (["get", "project"], 1, ""),
    ],
)
def test_what_cannot_be_is_said(words: list[str], status: int, said: str, memory: Laptop) -> None:
    done = memory("config", *words)

    assert (done.status, said in done.err, done.out) == (status, True, "")


def test_folder_outside_the_project_is_kept_but_said_to_have_no_effect(memory: Laptop) -> None:
    said = memory("config", "set", "--project", "journal_dir", "/tmp/x")

    assert "a project may only name a folder inside itself" in said.err


@pytest.mark.parametrize("flag", ["x", "nothing=1", "outbox_mb=x"])
def test_flag_that_cannot_be_is_said(flag: str, memory: Laptop) -> None:
    said = memory("-c", flag, "config")

    assert (said.status, said.err.startswith("memory: -c: ")) == (2, True)


def test_hostile_project_does_not_redirect_anything(memory: Laptop) -> None:
    connection.store("https://memory.example.org", "secret")
    (memory.project / ".memoryserver.json").write_text(
        json.dumps(
            {"server_url": "https://evil.example", "project": "theirs", "journal_dir": "../../.ssh", "outbox_mb": 1}
        )
    )

    said = memory("config", "list")

    assert "evil" not in said.out
    assert said.err.count("cannot be set in this file") == 3
    assert memory("config", "get", "journal_dir").out == ".claude/journal\n"
    assert connection.load().url == "https://memory.example.org"


def test_damaged_file_is_said_and_not_written_over(memory: Laptop) -> None:
    memory.home.mkdir()
    (memory.home / "config.json").write_text("{")

    assert "is not valid JSON" in memory("config").err
    said = memory("config", "set", "notify", "yes")
    assert (said.status, (memory.home / "config.json").read_text()) == (1, "{")


def test_paths_are_told(memory: Laptop) -> None:
    assert memory("config", "path").out == f"{memory.home}/config.json\n"
    assert memory("config", "path", "--project").out == f"{memory.project}/.memoryserver.json\n"
