"""`memory capture install` and `uninstall`: the system service that runs `memory capture run`."""

from __future__ import annotations

import json
import os
import shlex
import sys
from argparse import Namespace

from capture.local.service import installer
from capture.local.service.installer import InstallError, Result, Service
from capture.local.service.logfile import SERVICE_LOG_FILE
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client import home_folder
from memoryserver.common import files


def run(args: Namespace) -> int:
    """Install or uninstall the service, or show what that would do."""
    try:
        service = installer.service_for()
        if args.dry_run:
            _show(args, service)
            return 0
        if args.action == "install":
            files.make_folder((home_folder.path() / SERVICE_LOG_FILE).parent)  # launchd does not create it
            result = installer.install(service)
        else:
            result = installer.uninstall(service)
    except InstallError as error:
        raise CommandError(str(error)) from error
    print(json.dumps(vars(result), default=str) if args.json else _summary(args.action, result))
    if args.action == "install":
        _warn_if_logged_out()
    return 0


def _show(args: Namespace, service: Service) -> None:
    commands = service.start if args.action == "install" else [*service.stop, *service.reload]
    lines = [shlex.join(command) for command in commands]
    content = service.content.decode()
    if args.json:
        print(json.dumps({"path": str(service.path), "content": content, "commands": lines}))
        return
    if args.action == "install":
        print(f"Would write {service.path}:\n\n{content}")
    else:
        print(f"Would remove {service.path}")
    print("\n".join(["Would run:", *(f"  {line}" for line in lines)]))


def _summary(action: str, result: Result) -> str:
    if action == "install" and result.left:
        first = f"Service installed: {result.path}\nTo start it, run:"
    elif action == "install":
        first = f"Service installed and started: {result.path}"
    else:
        first = f"Service removed: {result.path}" if result.changed else f"No service is installed at {result.path}"
        if result.left:
            first += "\nIf it is still running, stop it with:"
    return "\n".join([first, *(f"  {line}" for line in result.left)])


def _warn_if_logged_out() -> None:
    """Warn if the service has no token: it does not see this shell's variables."""
    if not connection.credentials_path().exists():
        has_token = os.environ.get("MEMORYSERVER_TOKEN")
        why = "the service does not see this shell's MEMORYSERVER_TOKEN" if has_token else "learnings wait until then"
        print(f"memory: not logged in; {why}; run: memory login URL", file=sys.stderr)
