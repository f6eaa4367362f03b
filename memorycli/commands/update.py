"""`memory update`: bring this client to the version that its server ships, or back to the one before."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from capture.local.service import installer
from capture.local.service.installer import InstallError
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.installation import download, layout, versions
from memorycli.installation.layout import Installed, Layout
from memorycli.installation.versions import InstallationError
from memoryserver import __version__
from memoryserver.common import files
from memoryserver.common.files import LockTimeoutError

_LOCK_SECONDS = 60.0


def configure(parser: ArgumentParser) -> None:
    """Add the options."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--check", action="store_true", help="only say whether there is another version")
    which.add_argument("--rollback", action="store_true", help="go back to the version before")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: Namespace) -> int:
    """Update; 1 if it cannot, and then nothing has changed. With `--check`, 1 if there is another version."""
    try:
        if args.check:
            return _check(args)
        own = layout.running()
        if own is None:
            raise CommandError(
                f"this client was not installed by a server's join line; to update it: {layout.update_command()}"
            )
        with files.lock(own.lock, timeout=_LOCK_SECONDS):
            before, after = own.installed(), versions.roll_back(own) if args.rollback else _update(own)
    except (InstallationError, LockTimeoutError) as error:
        raise CommandError(str(error)) from error
    is_new = before is None or before.name != after.name
    if args.json:
        print(json.dumps({"version": after.version, "changed": is_new, "previous": after.previous}))
    else:
        print(
            _line(after, rolled_back=args.rollback) if is_new else f"memory {after.version} is what the server ships."
        )
    if is_new:
        _restart_capture()
    return 0


def _check(args: Namespace) -> int:
    own = layout.running()
    installed = own.installed() if own else None
    server = connection.address().rstrip("/")
    shipped = download.shipped(server)
    is_same = installed.sha256 == shipped.sha256 if installed else __version__ == shipped.version
    if args.json:
        print(json.dumps({"version": __version__, "shipped": shipped.version, "same": is_same}))
    elif is_same:
        print(f"memory {__version__} is what {server} ships.")
    else:
        print(f"{server} ships memory {shipped.version}, this is {__version__}; to update: {layout.update_command()}")
    return 0 if is_same else 1


def _update(own: Layout) -> Installed:
    """Install what the server ships, if it is not installed already, and return the record."""
    shipped = download.shipped(connection.address().rstrip("/"))
    installed = own.installed()
    if installed is not None and installed.sha256 == shipped.sha256:
        return installed
    return versions.install(own, download.archive(shipped), shipped.version)


def _line(after: Installed, *, rolled_back: bool) -> str:
    undo = "memory update" if rolled_back else "memory update --rollback"
    return f"memory is now {after.version}; to go back: {undo}"


def _restart_capture() -> None:
    """Restart the service of capture, which still runs the code before."""
    try:
        service = installer.service_for()
        if service.path.exists():
            installer.install(service)
            print("The service of capture was restarted.")
    except (InstallError, OSError) as error:
        print(f"The service of capture still runs the version before; to restart it: memory capture install ({error})")
