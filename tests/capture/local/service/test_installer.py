"""The service that runs the daemon: what is written can be read back by the system, word for word."""

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

NASTY = 'Ada Lövelace/100% "sure" \\o/ $HOME'
PROGRAM = ["-P", "-m", "memorycli", "capture", "run"]


def service(home: Path, platform: str, python: str = "/opt/venv/bin/python", **environ: str) -> Service:
    return installer.service(platform=platform, environ={"HOME": str(home), **environ}, python=python, user=501)


class Unit:
    """A unit file as systemd reads it: sections, and words with quotes, escapes and specifiers undone."""

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
    """By the rules of systemd.syntax(7), "Quoting", and systemd.unit(5), "Specifiers"."""
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


def willing(command: list[str]) -> tuple[int, str]:
    """A service manager that does what it is told."""
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


def test_a_home_that_is_not_set_has_its_logs_where_they_always_are(tmp_path: Path):
    content = plistlib.loads(service(tmp_path, "darwin").content)
    assert content["StandardErrorPath"] == f"{tmp_path}/.memoryserver/logs/capture_service.log"


def test_generates_a_valid_systemd_unit(tmp_path: Path):
    home = tmp_path / NASTY
    made = service(home, "linux", f"{home}/bin/python", MEMORYSERVER_HOME=f"{home}/memory", CODEX_HOME="/x y")
    unit = Unit(made.content.decode())
    (words,) = unit.words("Service", "ExecStart")
    assert words == [":/usr/bin/env", f"{home}/bin/python", *PROGRAM]  # systemd itself starts no program so named
    assert unit.words("Service", "Environment") == [[f"MEMORYSERVER_HOME={home}/memory"], ["CODEX_HOME=/x y"]]
    assert unit.sections["Unit"]["StartLimitIntervalSec"] == ["0"]  # no number of failures ends the starting
    assert unit.sections["Service"]["Restart"] == ["always"]
    assert unit.sections["Install"] == {"WantedBy": ["default.target"]}


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), st.text(max_size=20))
@settings(max_examples=300, deadline=None)
def test_every_path_is_read_back_as_it_was(name: str, value: str):
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
    """What systemd finds wrong with the unit at `path`; nothing where it is not there to be asked.

    The unit has been read back by this module's own rules before.
    """
    program = shutil.which("systemd-analyze")
    if program is None:
        return []
    runtime.mkdir(mode=0o700, exist_ok=True)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [program, "--user", "verify", path], env=environment, capture_output=True, text=True, check=False
    )
    # Of a unit with a specifier or an escape undone wrongly it says which word it made of it.
    return [line for line in done.stderr.split("\n") if systemd.UNIT in line or "Failed to parse" in line]


@pytest.mark.parametrize("folder", ["plain", NASTY.replace("/", "-"), "a b", "50%", "$(x)", "O'Brien"])
def test_systemd_finds_nothing_wrong_with_it(tmp_path: Path, folder: str):
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


def test_the_interpreter_of_a_virtual_environment_is_named_as_it_is_and_starts_without_its_activation(tmp_path: Path):
    """Its link resolved, it would be another, without our packages."""
    made = installer.service(platform="linux", environ={"HOME": str(tmp_path)})
    (words,) = Unit(made.content.decode()).words("Service", "ExecStart")
    done = subprocess.run([*words, "--help"], env={}, cwd="/", capture_output=True, text=True, check=True)
    assert (words[0], "memory capture run" in done.stdout) == (sys.executable, True)


def test_only_what_capture_heeds_is_taken_from_the_environment_and_no_token(tmp_path: Path):
    given = dict.fromkeys(["MEMORYSERVER_TOKEN", "MEMORYSERVER_URL", "PATH", "PYTHONPATH", "AWS_SECRET"], "secret")
    for platform in ("darwin", "linux"):
        assert b"secret" not in service(tmp_path, platform, **given).content


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
    given = {name: value.format(home=tmp_path) for name, value in environ.items()}
    done = installer.install(service(tmp_path, platform, **given), willing)
    assert done.path == tmp_path / expected
    assert done.path.read_bytes() == service(tmp_path, platform, **given).content
    assert stat.S_IMODE(done.path.stat().st_mode) == 0o644


def test_another_system_is_told_what_to_do(tmp_path: Path):
    with pytest.raises(InstallError, match="memory capture run"):
        service(tmp_path, "win32")


def programs(folder: Path, **scripts: str) -> None:
    """Put programs into `folder` that write down how they were called."""
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


def test_on_linux_it_is_enabled_and_started_and_doing_it_again_starts_it_anew(tmp_path: Path, bin_: Path):
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


def test_on_macos_what_ran_before_is_ended_and_one_that_still_ends_is_waited_for(tmp_path: Path, bin_: Path):
    """launchctl refuses the new one, with error 5, until the old one is gone."""
    script = f"""
        case "$1" in
            bootout) exit 3 ;;
            bootstrap) mkdir {tmp_path}/once 2>/dev/null || exit 0; echo "Bootstrap failed: 5" >&2; exit 5 ;;
        esac"""
    programs(bin_, launchctl=script)
    made = service(tmp_path, "darwin")
    installer.install(made, settling=5)
    assert called(bin_) == [
        "launchctl bootout gui/501/org.memoryserver.capture",
        "launchctl enable gui/501/org.memoryserver.capture",
        f"launchctl bootstrap gui/501 {made.path}",
        f"launchctl bootstrap gui/501 {made.path}",
    ]


@pytest.mark.parametrize("platform, program", [("linux", "systemctl"), ("darwin", "launchctl")])
def test_where_it_cannot_be_started_the_reason_is_told_and_how_to_do_it_later(
    tmp_path: Path, bin_: Path, platform: str, program: str
):
    programs(bin_, **{program: 'echo "no session" >&2; exit 1'})
    made = service(tmp_path, platform)
    with pytest.raises(InstallError, match=r"is written, but not started: no session; to start it: \w+ctl ") as caught:
        installer.install(made, settling=0)
    assert made.path.exists()
    assert "bootout" not in str(caught.value)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_where_the_program_is_missing_the_commands_are_told(
    tmp_path: Path, platform: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    made = service(tmp_path, platform)
    done = installer.install(made)
    assert (done.changed, done.ran, len(done.left)) == (True, [], 3)
    gone = installer.uninstall(made)
    assert (gone.changed, gone.ran, len(gone.left), made.path.exists()) == (
        True,
        [],
        len([*made.stop, *made.forget]),
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
    for link in made.links:  # as systemctl makes it
        link.parent.mkdir()
        link.symlink_to(made.path)
    called(bin_)
    done = installer.uninstall(made)
    assert done.changed
    assert called(bin_) == [" ".join(command) for command in [*made.stop, *made.forget]]
    left = sorted(path for path in tmp_path.rglob("*") if not path.name.endswith(".wants"))
    assert left == before
    again = installer.uninstall(made)
    assert (again.changed, again.ran, called(bin_)) == (False, [], [])


def test_a_file_of_the_same_name_that_was_changed_by_hand_is_put_right_by_install(tmp_path: Path):
    made = service(tmp_path, "linux")
    installer.install(made, willing)
    made.path.write_text("[Service]\nExecStart=/bin/false\n")
    assert installer.install(made, willing).changed
    assert made.path.read_bytes() == made.content
