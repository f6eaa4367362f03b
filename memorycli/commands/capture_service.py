"""`memory capture install` and `uninstall`: the service of the system that runs `memory capture run`."""

from __future__ import annotations

import json
import os
import shlex
import sys
from argparse import Namespace

from capture.local.service import installer
from capture.local.service.installer import Done, InstallError, Service
from capture.local.service.logfile import SERVICE_LOG_FILE
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client import home_folder
from memoryserver.common import files


def run(args: Namespace) -> int:
    """Install or uninstall it, or show what that would be."""
    try:
        service = installer.service()
        if args.dry_run:
            _show(args, service)
            return 0
        if args.action == "install":
            files.make_folder((home_folder.path() / SERVICE_LOG_FILE).parent)  # launchd makes no folders
            done = installer.install(service)
        else:
            done = installer.uninstall(service)
    except InstallError as error:
        raise CommandError(str(error)) from error
    print(json.dumps(vars(done), default=str) if args.json else _said(args.action, done))
    if args.action == "install":
        _warn()
    return 0


def _show(args: Namespace, service: Service) -> None:
    commands = service.start if args.action == "install" else [*service.stop, *service.forget]
    lines = [shlex.join(command) for command in commands]
    content = service.content.decode()
    if args.json:
        print(json.dumps({"path": str(service.path), "content": content, "commands": lines}))
        return
    verb = "would be written" if args.action == "install" else "would be removed"
    print(f"{service.path} {verb}" + (f":\n\n{content}" if args.action == "install" else ""))
    print("\n".join(["then would be run:", *(f"  {line}" for line in lines)]))


def _said(action: str, done: Done) -> str:
    if action == "install":
        first = f"Capture runs by itself from now on, also after a restart: {done.path}"
        if done.left:
            first = f"Written: {done.path}\nTo start it, run:"
    else:
        first = f"Removed: {done.path}" if done.changed else f"Nothing was installed: there is no {done.path}"
        if done.left:
            first += "\nTo end what may still run:"
    return "\n".join([first, *(f"  {line}" for line in done.left)])


def _warn() -> None:
    """The service sees neither this shell's token nor its server."""
    if not connection.credentials_path().exists():
        how = "memory login URL"
        given = os.environ.get("MEMORYSERVER_TOKEN")
        why = "it does not see MEMORYSERVER_TOKEN of this shell" if given else "learnings wait until then"
        print(f"memory: not logged in; {why}; run: {how}", file=sys.stderr)
