"""The systemd user service of Linux that runs the capture daemon.

It uses only hardening that needs no namespaces: where a user may not create those, the service would not start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

UNIT = "memoryserver-capture.service"
FOLDER = Path("systemd/user")  # below the user's configuration folder
WANTED_BY = "default.target"

_UNIT = """\
[Unit]
Description=Capture of learnings from coding agents' transcripts (memoryserver)
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={command}
{environment}Restart=always
RestartSec=60
TimeoutStopSec=60
UMask=0077
Nice=5
IOSchedulingClass=idle
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native

[Install]
WantedBy={wanted_by}
"""


def service(program: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the unit that starts `program` at login, and again a minute after it ends.

    `environment` is added to systemd's. Raises ValueError for what a unit cannot contain, such as a control character.
    """
    if set(program[0]) & set("\"'\\"):  # systemd does not start a program with such a name, but `env` does
        if "=" in program[0]:
            raise ValueError(f"{program[0]!r} contains a quote and an equals sign; a systemd unit cannot start it")
        program = ["/usr/bin/env", *program]
    # Without the colon, a dollar sign begins a variable, also in the program's name.
    colon = ":" if any("$" in word for word in program) else ""
    lines = [f"Environment={_quoted(f'{name}={value}')}\n" for name, value in environment.items()]
    command = colon + " ".join(map(_quoted, program))
    return _UNIT.format(command=command, environment="".join(lines), wanted_by=WANTED_BY)


def start_commands() -> list[list[str]]:
    """Return the commands that make the user's systemd start the unit, also in place of an earlier one."""
    return [
        ["systemctl", "--user", "daemon-reload"],
        ["systemctl", "--user", "enable", UNIT],
        ["systemctl", "--user", "restart", UNIT],
    ]


def stop_commands() -> list[list[str]]:
    """Return the commands that make systemd stop the unit and no longer start it."""
    return [["systemctl", "--user", "disable", "--now", UNIT]]


def reload_commands() -> list[list[str]]:
    """Return the commands that make systemd notice that the unit's file was removed."""
    return [["systemctl", "--user", "daemon-reload"]]


def _quoted(word: str) -> str:
    """Return `word` in quotes, with systemd's escapes and specifiers masked, so that systemd reads it unchanged."""
    if not word.isprintable() and any(ord(character) < 32 or ord(character) == 127 for character in word):
        raise ValueError(f"{word!r} contains a control character; a systemd unit cannot contain it")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
