"""Installs the daemon as a service of the system: a LaunchAgent on macOS, a systemd user service on Linux.

The service's file names the running interpreter by its absolute path, and the environment variables that capture uses.
Tokens are never written.
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
from memoryserver.client import exclusions
from memoryserver.common import files

ENVIRONMENT_VARIABLES = (
    "MEMORYSERVER_HOME",
    "MEMORYSERVER_NOTIFY",
    "MEMORYSERVER_JOURNAL_DIR",
    "MEMORYSERVER_OUTBOX_MB",
    ROOTS_VARIABLE,
    exclusions.VARIABLE,
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
_PATHS = ("MEMORYSERVER_HOME", "CODEX_HOME", "GEMINI_CLI_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR")
_BOOTOUT_TIMEOUT = 15.0  # seconds in which launchd may still be removing an earlier agent
_TIMEOUT = 90.0  # seconds for one command

Command = list[str]
Run = Callable[[Command], "tuple[int, str]"]


class InstallError(Exception):
    """The service cannot be installed or started; the message says why and what to do."""


@dataclass(frozen=True)
class Service:
    """The file of the service, and the commands that start and stop it.

    Those in `stop` may fail, since the service may not run. Those in `reload` follow the removal of the file. `links`
    are the symbolic links that `start` creates.
    """

    path: Path
    content: bytes
    start: Sequence[Command]
    stop: Sequence[Command]
    reload: Sequence[Command] = ()
    links: Sequence[Path] = ()


@dataclass
class Result:
    """The result: whether the file at `path` was changed, the commands that `ran`, and those `left` for the user."""

    path: Path
    changed: bool = False
    ran: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def service_for(
    *,
    platform: str = sys.platform,
    environ: Mapping[str, str] | None = None,
    python: str = sys.executable,
    user: int | None = None,
) -> Service:
    """Return the service for the user with this environment. Raises InstallError if the platform has none."""
    environ = os.environ if environ is None else environ
    home = Path(environ.get("HOME") or Path.home())
    environment = {name: _absolute(name, environ[name]) for name in ENVIRONMENT_VARIABLES if environ.get(name)}
    program = [os.path.abspath(python), "-P", "-m", "memorycli", "capture", "run"]
    try:
        if platform == "darwin":
            path = home / launchd.FOLDER / f"{launchd.LABEL}.plist"
            log = Path(environment.get("MEMORYSERVER_HOME") or home / ".memoryserver") / SERVICE_LOG_FILE
            user = os.getuid() if user is None else user
            content = launchd.agent(program, environment, log)
            return Service(path, content, launchd.start_commands(user, path), launchd.stop_commands(user))
        if platform.startswith("linux"):
            folder = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / systemd.FOLDER
            return Service(
                folder / systemd.UNIT,
                systemd.service(program, environment).encode(),
                systemd.start_commands(),
                systemd.stop_commands(),
                systemd.reload_commands(),
                [folder / f"{systemd.WANTED_BY}.wants" / systemd.UNIT],
            )
    except (ValueError, UnicodeError) as error:
        raise InstallError(f"the service cannot be written: {error}") from error
    raise InstallError(f"{platform} has no service that can be installed; start `memory capture run` at login yourself")


def install(service: Service, run: Run | None = None, *, bootout_timeout: float = _BOOTOUT_TIMEOUT) -> Result:
    """Write the service's file and start the service, or restart it. Raises InstallError and OSError."""
    run = run or run_command
    result = Result(service.path, changed=not _has_content(service.path, service.content))
    if result.changed:
        files.make_folder(service.path.parent)
        files.write_atomic(service.path, service.content, mode=0o644)
    if not _are_available(service.start):
        result.left = [shlex.join(command) for command in service.start]
        return result
    for command in service.start:
        retry_for = bootout_timeout if "bootstrap" in command else 0.0
        status, output = _run_with_retries(command, run, retry_for)
        if status and command not in service.stop:
            rest = " && ".join(shlex.join(other) for other in service.start if other not in service.stop)
            raise InstallError(f"{service.path} is written, but not started: {output}; to start it: {rest}")
        result.ran.append(shlex.join(command))
    return result


def uninstall(service: Service, run: Run | None = None) -> Result:
    """Stop the service and remove the files that `install` created. Raises OSError."""
    run = run or run_command
    result = Result(service.path)
    exists = service.path.exists()
    if exists and _are_available(service.stop):
        for command in service.stop:
            run(command)
            result.ran.append(shlex.join(command))
    for link in service.links:
        if link.is_symlink() and os.path.realpath(link) == os.path.realpath(service.path):
            link.unlink()
    with contextlib.suppress(FileNotFoundError):
        service.path.unlink()
        result.changed = True
    if exists and _are_available(service.stop):
        for command in service.reload:
            run(command)
            result.ran.append(shlex.join(command))
    elif exists:
        result.left = [shlex.join(command) for command in [*service.stop, *service.reload]]
    return result


def run_command(command: Command) -> tuple[int, str]:
    """Run `command`; return its exit status and its output in one line."""
    try:
        process = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    output = (process.stderr or process.stdout).decode("utf-8", "replace")
    return process.returncode, " ".join(output.split()) or f"{command[0]} ended with {process.returncode}"


def _run_with_retries(command: Command, run: Run, seconds: float) -> tuple[int, str]:
    """Run `command`, again for up to `seconds` while it fails.

    launchctl reports an earlier agent that it is still removing with the same error as any other failure.
    """
    until = time.monotonic() + seconds
    while True:
        status, output = run(command)
        if not status or time.monotonic() >= until:
            return status, output
        time.sleep(min(0.5, seconds))


def _are_available(commands: Sequence[Command]) -> bool:
    return all(shutil.which(command[0]) for command in commands)


def _has_content(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return False


def _absolute(name: str, value: str) -> str:
    """Return `value`, made absolute if it is a path: the service runs in another folder, and does not expand `~`."""
    return os.path.abspath(os.path.expanduser(value)) if name in _PATHS else value
