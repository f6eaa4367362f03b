"""`memory install codex` and its way out."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from memorycli.agents import codex
from tests.support.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    user = tmp_path / "user ü"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Laptop(tmp_path, monkeypatch, capsys)


def test_codex_gets_its_events_and_no_key_that_it_would_refuse(memory: Laptop) -> None:
    memory("install", "codex")

    written = json.loads((Path.home() / ".codex/hooks.json").read_text())
    assert list(written) == ["hooks"]
    assert sorted(written["hooks"]) == sorted(codex.TIMEOUTS)
    for groups in written["hooks"].values():
        assert list(groups[0]["hooks"][0]) == ["type", "command", "timeout"]
    config = tomllib.loads((Path.home() / ".codex/config.toml").read_text())
    assert config["mcp_servers"]["memoryserver"]["command"] == sys.executable


@pytest.mark.parametrize(
    "text",
    [
        "",
        'model = "o"\n',
        'model = "o"',
        "# mine\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n",
        "[a]\nb = '''\nc\n'''\n",
    ],
)
def test_codex_settings_are_given_back_to_the_byte(text: str, memory: Laptop) -> None:
    path = Path.home() / ".codex/config.toml"
    path.parent.mkdir()
    path.write_bytes(text.encode())

    memory("install", "codex")
    assert tomllib.loads(path.read_text())["mcp_servers"]["memoryserver"]["args"][-1] == "mcp"
    with path.open("ab") as file:  # something that the agent adds later, so the file is no more as it was written
        file.write(b"\n[later]\nx = 1\n")
    memory("uninstall", "codex")

    assert tomllib.loads(path.read_text()) == tomllib.loads(text) | {"later": {"x": 1}}
    assert path.read_bytes().startswith(text.encode())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = ", "is no TOML"),
        ("\ufeffa = 1", "byte order mark"),
        ("[mcp_servers.memoryserver]\ncommand = 'mine'\n", "was not put in by this command"),
        ("mcp_servers = {}\n", "is no TOML"),
    ],
)
def test_codex_settings_that_cannot_take_the_server_are_left_alone(text: str, said: str, memory: Laptop) -> None:
    path = Path.home() / ".codex/config.toml"
    path.parent.mkdir()
    path.write_text(text)

    done = memory("install", "codex")

    assert (done.status, path.read_text(), said in done.err) == (1, text, True)
    assert not (Path.home() / ".codex/hooks.json").exists()


def test_settings_of_others_between_the_marks_are_not_taken_out(memory: Laptop) -> None:
    memory("install", "codex")
    path = Path.home() / ".codex/config.toml"
    text = path.read_text().replace("# <<<", "[mine]\nx = 1\n# <<<")
    path.write_text(text)

    said = memory("uninstall", "codex")

    assert (said.status, path.read_text()) == (1, text)
    assert "has other settings between the marks" in said.err
