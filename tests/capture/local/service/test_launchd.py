"""The LaunchAgent of macOS."""

from __future__ import annotations

import plistlib
from pathlib import Path

from capture.local.service import launchd


def test_agent_starts_the_program_with_only_its_environment_and_restarts_it() -> None:
    content = plistlib.loads(launchd.agent(["/opt/py & co", "-m", "x"], {"A": "<b>"}, Path("/logs/service.log")))
    assert content["Label"] == "org.memoryserver.capture"
    assert (content["ProgramArguments"], content["EnvironmentVariables"]) == (["/opt/py & co", "-m", "x"], {"A": "<b>"})
    assert (content["RunAtLoad"], content["KeepAlive"], content["ThrottleInterval"]) == (True, True, 60)
    assert content["StandardOutPath"] == content["StandardErrorPath"] == "/logs/service.log"
    assert content["Umask"] == 0o077


def test_start_removes_an_earlier_agent_before_it_loads_the_file() -> None:
    assert launchd.start_commands(501, Path("/a b.plist")) == [
        ["launchctl", "bootout", "gui/501/org.memoryserver.capture"],
        ["launchctl", "enable", "gui/501/org.memoryserver.capture"],
        ["launchctl", "bootstrap", "gui/501", "/a b.plist"],
    ]


def test_stop_removes_the_agent() -> None:
    assert launchd.stop_commands(501) == [["launchctl", "bootout", "gui/501/org.memoryserver.capture"]]
