"""The systemd user service of Linux by which capture runs by itself.

Only such hardening is in it as needs no namespaces: where a user may not make those, the service would not start.
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
    """The unit: `program` is started at login and again a minute after it ended, with `environment` besides systemd's.

    Raises ValueError for what a unit cannot hold, such as a control character.
    """
    if set(program[0]) & set("\"'\\"):  # systemd starts no program with such a name; this one starts any
        if "=" in program[0]:
            raise ValueError(f"{program[0]!r} holds both a quote and an equals sign; no unit of systemd can start it")
        program = ["/usr/bin/env", *program]
    # A dollar sign is taken for a variable, also in the program's own name, unless the colon says that none is meant.
    colon = ":" if any("$" in word for word in program) else ""
    lines = [f"Environment={_quoted(f'{name}={value}')}\n" for name, value in environment.items()]
    command = colon + " ".join(map(_quoted, program))
    return _UNIT.format(command=command, environment="".join(lines), wanted_by=WANTED_BY)


def start_commands() -> list[list[str]]:
    """What makes the user's systemd take the unit, whether it knows an earlier one or not."""
    return [
        ["systemctl", "--user", "daemon-reload"],
        ["systemctl", "--user", "enable", UNIT],
        ["systemctl", "--user", "restart", UNIT],
    ]


def stop_commands() -> list[list[str]]:
    """What makes it end and be started no more."""
    return [["systemctl", "--user", "disable", "--now", UNIT]]


def forget_commands() -> list[list[str]]:
    """What makes systemd see that the file is gone."""
    return [["systemctl", "--user", "daemon-reload"]]


def _quoted(word: str) -> str:
    """`word` as systemd reads it back: quoted, with its escapes and specifiers taken from it."""
    if not word.isprintable() and any(ord(character) < 32 or ord(character) == 127 for character in word):
        raise ValueError(f"{word!r} holds a control character; a unit of systemd cannot name it")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
