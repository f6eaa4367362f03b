"""The service of the daemon: the system reads its file as it was meant, and starts and stops it."""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture.local.service import installer, systemd
from capture.local.service.installer import InstallError, Service
from tests.support.examples import examples

NASTY = 'Ada Lövelace/100% "sure" \\o/ $HOME'
PROGRAM = ["-P", "-m", "memorycli", "capture", "run"]


def service(home: Path, platform: str, python: str = "/opt/venv/bin/python", **environ: str) -> Service:
    return installer.service_for(platform=platform, environ={"HOME": str(home), **environ}, python=python, user=501)


class Unit:
    """A unit file as systemd reads it: sections, and words without quotes, escapes and specifiers."""

    def __init__(self, text: str) -> None:
        self.sections: dict[str, dict[str, list[str]]] = {}
        for line in text.split("\n"):
            if section := re.fullmatch(r"\[(\w+)\]", line):
                here = self.sections.setdefault(section[1], {})
            elif line:
                name, equals, value = line.partition("=")
                assert equals, line
                here.setdefault(name, []).append(value)

    def words(self, section: str, name: str) -> list[list[str]]:
        return [split(value) for value in self.sections[section].get(name, [])]


def split(value: str) -> list[str]:
    """Split by the rules of systemd.syntax(7), "Quoting", and systemd.unit(5), "Specifiers"."""
    words: list[str] = []
    word: str | None = None
    quoted = False
    rest = iter(value)
    for character in rest:
        if character == '"':
            quoted, word = not quoted, word or ""
        elif character == "\\":
            following = next(rest)
            assert following in '\\"'
            word = (word or "") + following
        elif character == " " and not quoted:
            words, word = [*words, word] if word is not None else words, None
        elif character == "%":
            assert next(rest) == "%", "a specifier"
            word = (word or "") + "%"
        else:
            word = (word or "") + character
    assert not quoted
    return [*words, word] if word is not None else words


def succeed(command: list[str]) -> tuple[int, str]:
    """Run no command, and report success."""
    return 0, ""


def test_generates_valid_plist(tmp_path: Path):
    home = tmp_path / NASTY
    made = service(home, "darwin", f"{home}/bin/python", MEMORYSERVER_HOME=f"{home}/memory", PATH="/usr/bin")
    content: dict[str, Any] = plistlib.loads(made.content)
    log = f"{home}/memory/logs/capture_service.log"
    assert content == {
        "Label": "org.memoryserver.capture",
        "ProgramArguments": [f"{home}/bin/python", *PROGRAM],
        "EnvironmentVariables": {"MEMORYSERVER_HOME": f"{home}/memory"},
        "RunAtLoad": True,
        "KeepAlive": True,
        "ThrottleInterval": 60,
        "ExitTimeOut": 60,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 5,
        "Umask": 0o077,
        "WorkingDirectory": "/",
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }


def test_default_home_has_its_logs_in_the_default_place(tmp_path: Path):
    content = plistlib.loads(service(tmp_path, "darwin").content)
    assert content["StandardErrorPath"] == f"{tmp_path}/.memoryserver/logs/capture_service.log"


def test_generates_a_valid_systemd_unit(tmp_path: Path):
    home = tmp_path / NASTY
    made = service(home, "linux", f"{home}/bin/python", MEMORYSERVER_HOME=f"{home}/memory", CODEX_HOME="/x y")
    unit = Unit(made.content.decode())
    (words,) = unit.words("Service", "ExecStart")
    assert words == [":/usr/bin/env", f"{home}/bin/python", *PROGRAM]  # systemd itself cannot start this name
    assert unit.words("Service", "Environment") == [[f"MEMORYSERVER_HOME={home}/memory"], ["CODEX_HOME=/x y"]]
    assert unit.sections["Unit"]["StartLimitIntervalSec"] == ["0"]  # it is restarted after any number of failures
    assert unit.sections["Service"]["Restart"] == ["always"]
    assert unit.sections["Install"] == {"WantedBy": ["default.target"]}


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), st.text(max_size=20))
@settings(max_examples=examples(75))
def test_paths_are_read_back_unchanged(name: str, value: str):
    quoted = set(name) & set("\"'\\")
    impossible = any(ord(character) < 32 or ord(character) == 127 for character in value) or (quoted and "=" in name)
    try:
        unit = Unit(systemd.service([f"/{name}"], {"CODEX_HOME": value}))
    except ValueError:
        assert impossible
        return
    assert not impossible
    (words,) = unit.words("Service", "ExecStart")
    colon = ":" if "$" in name else ""
    assert words == ([f"{colon}/usr/bin/env", f"/{name}"] if quoted else [f"{colon}/{name}"])
    assert unit.words("Service", "Environment") == [[f"CODEX_HOME={value}"]]


def verify(path: Path, runtime: Path) -> list[str]:
    """Return systemd's complaints about the unit at `path`; none where systemd is not installed.

    This module's own rules have already read the unit back.
    """
    program = shutil.which("systemd-analyze")
    if program is None:
        return []
    runtime.mkdir(mode=0o700, exist_ok=True)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "LC_ALL": "C.UTF-8"}
    completed = subprocess.run(
        [program, "--user", "verify", path], env=environment, capture_output=True, text=True, check=False
    )
    # For a wrong specifier or escape its message names the resulting word.
    return [line for line in completed.stderr.split("\n") if systemd.UNIT in line or "Failed to parse" in line]


@pytest.mark.parametrize("folder", ["plain", NASTY.replace("/", "-"), "a b", "50%", "$(x)", "O'Brien"])
def test_systemd_accepts_the_unit(tmp_path: Path, folder: str):
    home = tmp_path / folder
    (home / "bin").mkdir(parents=True)
    python = home / "bin" / "python"
    python.symlink_to(sys.executable)
    made = service(tmp_path, "linux", str(python), MEMORYSERVER_HOME=f"{home}/memory")
    (words,) = Unit(made.content.decode()).words("Service", "ExecStart")
    assert str(python) in [word.removeprefix(":") for word in words]
    path = tmp_path / systemd.UNIT
    path.write_bytes(made.content)
    assert verify(path, tmp_path / "run") == []


def test_interpreter_of_a_virtual_environment_is_not_resolved_and_starts_without_activation(tmp_path: Path):
    """The target of its link is an interpreter without our packages."""
    made = installer.service_for(platform="linux", environ={"HOME": str(tmp_path)})
    (words,) = Unit(made.content.decode()).words("Service", "ExecStart")
    completed = subprocess.run([*words, "--help"], env={}, cwd="/", capture_output=True, text=True, check=True)
    assert (words[0], "memory capture run" in completed.stdout) == (sys.executable, True)


def test_environment_has_only_the_variables_of_capture_and_no_token(tmp_path: Path):
    secrets = dict.fromkeys(["MEMORYSERVER_TOKEN", "MEMORYSERVER_URL", "PATH", "PYTHONPATH", "AWS_SECRET"], "secret")
    for platform in ("darwin", "linux"):
        assert b"secret" not in service(tmp_path, platform, **secrets).content


def test_relative_paths_and_tildes_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    made = service(tmp_path, "darwin", MEMORYSERVER_HOME="memory")
    assert plistlib.loads(made.content)["EnvironmentVariables"] == {"MEMORYSERVER_HOME": f"{tmp_path}/memory"}


@pytest.mark.parametrize(
    "platform, environ, expected",
    [
        ("darwin", {}, "Library/LaunchAgents/org.memoryserver.capture.plist"),
        ("linux", {}, ".config/systemd/user/memoryserver-capture.service"),
        ("linux", {"XDG_CONFIG_HOME": "{home}/cfg"}, "cfg/systemd/user/memoryserver-capture.service"),
    ],
)
def test_installs_to_correct_location(tmp_path: Path, platform: str, environ: dict[str, str], expected: str):
    variables = {name: value.format(home=tmp_path) for name, value in environ.items()}
    result = installer.install(service(tmp_path, platform, **variables), succeed)
    assert result.path == tmp_path / expected
    assert result.path.read_bytes() == service(tmp_path, platform, **variables).content
    assert stat.S_IMODE(result.path.stat().st_mode) == 0o644


def test_unknown_platform_raises_an_error_with_the_command(tmp_path: Path):
    with pytest.raises(InstallError, match="memory capture run"):
        service(tmp_path, "win32")


def programs(folder: Path, **scripts: str) -> None:
    """Write programs into `folder` that record how they were called."""
    folder.mkdir()
    for name, script in scripts.items():
        path = folder / name
        path.write_text(f'#!/bin/sh\necho {name} "$@" >> {folder}/called\n{script}\n')
        path.chmod(0o755)


def called(folder: Path) -> list[str]:
    path = folder / "called"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return lines


@pytest.fixture
def bin_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path / "bin"


def test_on_linux_the_unit_is_enabled_and_started_and_restarted_by_a_second_install(tmp_path: Path, bin_: Path):
    programs(bin_, systemctl="")
    made = service(tmp_path, "linux")
    expected = [
        "systemctl --user daemon-reload",
        "systemctl --user enable memoryserver-capture.service",
        "systemctl --user restart memoryserver-capture.service",
    ]
    first = installer.install(made)
    assert (first.changed, first.ran, called(bin_)) == (True, expected, expected)
    second = installer.install(made)
    assert (second.changed, called(bin_), second.left) == (False, expected, [])


def test_on_macos_an_earlier_agent_is_stopped_and_waited_for(tmp_path: Path, bin_: Path):
    """launchctl refuses the new agent, with error 5, until the old one is removed."""
    script = f"""
        case "$1" in
            bootout) exit 3 ;;
            bootstrap) mkdir {tmp_path}/once 2>/dev/null || exit 0; echo "Bootstrap failed: 5" >&2; exit 5 ;;
        esac"""
    programs(bin_, launchctl=script)
    made = service(tmp_path, "darwin")
    installer.install(made, bootout_timeout=5)
    assert called(bin_) == [
        "launchctl bootout gui/501/org.memoryserver.capture",
        "launchctl enable gui/501/org.memoryserver.capture",
        f"launchctl bootstrap gui/501 {made.path}",
        f"launchctl bootstrap gui/501 {made.path}",
    ]


@pytest.mark.parametrize("platform, program", [("linux", "systemctl"), ("darwin", "launchctl")])
def test_service_that_cannot_be_started_raises_an_error_with_the_reason_and_the_commands(
    tmp_path: Path, bin_: Path, platform: str, program: str
):
    programs(bin_, **{program: 'echo "no session" >&2; exit 1'})
    made = service(tmp_path, platform)
    with pytest.raises(InstallError, match=r"is written, but not started: no session; to start it: \w+ctl ") as error:
        installer.install(made, bootout_timeout=0)
    assert made.path.exists()
    assert "bootout" not in str(error.value)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_commands_of_a_missing_program_are_left(tmp_path: Path, platform: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    made = service(tmp_path, platform)
    result = installer.install(made)
    assert (result.changed, result.ran, len(result.left)) == (True, [], 3)
    gone = installer.uninstall(made)
    assert (gone.changed, gone.ran, len(gone.left), made.path.exists()) == (
        True,
        [],
        len([*made.stop, *made.reload]),
        False,
    )


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_uninstall_removes_cleanly(tmp_path: Path, bin_: Path, platform: str):
    programs(bin_, systemctl="", launchctl="")
    made = service(tmp_path, platform)
    made.path.parent.mkdir(parents=True)
    other = made.path.with_name(f"other{made.path.suffix}")
    other.write_text("somebody else's")
    before = sorted(tmp_path.rglob("*"))
    installer.install(made)
    for link in made.links:  # as systemctl creates it
        link.parent.mkdir()
        link.symlink_to(made.path)
    called(bin_)
    result = installer.uninstall(made)
    assert result.changed
    assert called(bin_) == [" ".join(command) for command in [*made.stop, *made.reload]]
    left = sorted(path for path in tmp_path.rglob("*") if not path.name.endswith(".wants"))
    assert left == before
    again = installer.uninstall(made)
    assert (again.changed, again.ran, called(bin_)) == (False, [], [])


def test_install_replaces_a_file_that_was_changed_by_hand(tmp_path: Path):
    made = service(tmp_path, "linux")
    installer.install(made, succeed)
    made.path.write_text("[Service]\nExecStart=/bin/false\n")
    assert installer.install(made, succeed).changed
    assert made.path.read_bytes() == made.content
