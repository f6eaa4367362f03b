"""Has the system start the daemon: a LaunchAgent on macOS, a systemd user service on Linux.

What is written says the whole of it: the interpreter that runs now, by its absolute path, and of the environment
the settings that capture heeds. Tokens are never written.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from capture.local.service import launchd, systemd
from capture.local.service.logfile import SERVICE_LOG_FILE
from capture.local.transcripts.discovery import ROOTS_VARIABLE
from memoryserver.common import files

KEPT = (
    "MEMORYSERVER_HOME",
    "MEMORYSERVER_NOTIFY",
    "MEMORYSERVER_JOURNAL_DIR",
    "MEMORYSERVER_OUTBOX_MB",
    ROOTS_VARIABLE,
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
_PATHS = ("MEMORYSERVER_HOME", "CODEX_HOME", "GEMINI_CLI_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR")
_SETTLING = 15.0  # seconds in which launchd may still be taking leave of the agent that was there before
_TIMEOUT = 90.0

Command = list[str]
Run = Callable[[Command], "tuple[int, str]"]


class InstallError(Exception):
    """It could not be installed or started; the text says why and what to do."""


@dataclass(frozen=True)
class Service:
    """What is written where, and the commands that make the system heed it.

    Those of `stop` may fail, since there may be nothing to stop; `links` are what `start` leaves beside `path`.
    """

    path: Path
    content: bytes
    start: Sequence[Command]
    stop: Sequence[Command]
    forget: Sequence[Command] = ()
    links: Sequence[Path] = ()


@dataclass
class Done:
    """What was done: `changed` says whether a file was, `left` are commands that somebody still has to run."""

    path: Path
    changed: bool = False
    ran: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def service(
    *,
    platform: str = sys.platform,
    environ: Mapping[str, str] | None = None,
    python: str = sys.executable,
    user: int | None = None,
) -> Service:
    """The service of the user whose environment this is. Raises InstallError where there is no way to have one."""
    environ = os.environ if environ is None else environ
    home = Path(environ.get("HOME") or Path.home())
    kept = {name: _absolute(name, environ[name]) for name in KEPT if environ.get(name)}
    program = [os.path.abspath(python), "-P", "-m", "memorycli", "capture", "run"]
    try:
        if platform == "darwin":
            path = home / launchd.FOLDER / f"{launchd.LABEL}.plist"
            log = Path(kept.get("MEMORYSERVER_HOME") or home / ".memoryserver") / SERVICE_LOG_FILE
            user = os.getuid() if user is None else user
            content = launchd.agent(program, kept, log)
            return Service(path, content, launchd.start_commands(user, path), launchd.stop_commands(user))
        if platform.startswith("linux"):
            folder = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / systemd.FOLDER
            return Service(
                folder / systemd.UNIT,
                systemd.service(program, kept).encode(),
                systemd.start_commands(),
                systemd.stop_commands(),
                systemd.forget_commands(),
                [folder / f"{systemd.WANTED_BY}.wants" / systemd.UNIT],
            )
    except (ValueError, UnicodeError) as error:
        raise InstallError(f"it cannot be written down: {error}") from error
    raise InstallError(f"no service is known for {platform}; have `memory capture run` started at login yourself")


def install(wanted: Service, run: Run | None = None, *, settling: float = _SETTLING) -> Done:
    """Write the file and start the service; where it runs already, it starts anew. Raises InstallError and OSError."""
    run = run or run_command
    done = Done(wanted.path, changed=not _holds(wanted.path, wanted.content))
    if done.changed:
        files.make_folder(wanted.path.parent)
        files.write_atomic(wanted.path, wanted.content, mode=0o644)
    if not _is_there(wanted.start):
        done.left = [shlex.join(command) for command in wanted.start]
        return done
    for command in wanted.start:
        status, said = _run_patiently(command, run, settling) if "bootstrap" in command else run(command)
        if status and command not in wanted.stop:
            rest = " && ".join(shlex.join(one) for one in wanted.start if one not in wanted.stop)
            raise InstallError(f"{wanted.path} is written, but not started: {said}; to start it: {rest}")
        done.ran.append(shlex.join(command))
    return done


def uninstall(wanted: Service, run: Run | None = None) -> Done:
    """End the service and take away what `install` put there, nothing else. Raises OSError."""
    run = run or run_command
    done = Done(wanted.path)
    there = wanted.path.exists()
    if there and _is_there(wanted.stop):
        for command in wanted.stop:
            run(command)
            done.ran.append(shlex.join(command))
    for link in wanted.links:
        if link.is_symlink() and os.path.realpath(link) == os.path.realpath(wanted.path):
            link.unlink()
    with contextlib.suppress(FileNotFoundError):
        wanted.path.unlink()
        done.changed = True
    if there and _is_there(wanted.stop):
        for command in wanted.forget:
            run(command)
            done.ran.append(shlex.join(command))
    elif there:
        done.left = [shlex.join(command) for command in [*wanted.stop, *wanted.forget]]
    return done


def run_command(command: Command) -> tuple[int, str]:
    """Run it; its exit status and what it said, in one line."""
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    said = (ran.stderr or ran.stdout).decode("utf-8", "replace")
    return ran.returncode, " ".join(said.split()) or f"{command[0]} ended with {ran.returncode}"


def _run_patiently(command: Command, run: Run, settling: float) -> tuple[int, str]:
    """launchctl refuses an agent that it has not quite done away with, with one and the same error as any other."""
    until = time.monotonic() + settling
    while True:
        status, said = run(command)
        if not status or time.monotonic() >= until:
            return status, said
        time.sleep(min(0.5, settling))


def _is_there(commands: Sequence[Command]) -> bool:
    return all(shutil.which(command[0]) for command in commands)


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return False


def _absolute(name: str, value: str) -> str:
    """The service works in another folder, and knows no `~`."""
    return os.path.abspath(os.path.expanduser(value)) if name in _PATHS else value
