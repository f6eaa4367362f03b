"""What the join line runs: installs the client out of the archive that this is read from, logs in, offers the hooks.

The archive is started by `join.sh` and `join.ps1` of the server, which have checked it; standard input is the terminal,
if there is one.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from memorycli.agents import claude_code, codex, plan
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.installation import environment, versions
from memorycli.installation.layout import FOLDER, Layout
from memorycli.installation.versions import InstallationError
from memorycli.rendering.terminal import agreed
from memoryserver import __version__
from memoryserver.client import home_folder
from memoryserver.common import files
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import readable

_LOCK_SECONDS = 60.0


def main(argv: list[str] | None = None) -> int:
    """Run the steps and say what was done; return 0 if all of them worked."""
    parser = argparse.ArgumentParser(prog="memory-client.pyz")
    parser.add_argument("--server", required=True)
    parser.add_argument("--sha256", required=True)
    args = parser.parse_args(argv)
    try:
        launcher = _install(args.sha256)
        is_done = _log_in(launcher, args.server)
        is_done = _offer_hooks(launcher) and is_done
    except KeyboardInterrupt:
        return 130
    except (InstallationError, LockTimeoutError, CommandError, OSError) as error:
        print(f"memory: {readable(str(error))}", file=sys.stderr)
        return 1
    _print_end(launcher)
    return 0 if is_done else 1


def _install(sha256: str) -> Path:
    """Install the archive that this module is in, and return the path of the command."""
    archive = Path(sys.argv[0]).read_bytes()
    layout = Layout((home_folder.path() / FOLDER).absolute())
    files.make_folder(layout.root)
    with files.lock(layout.lock, timeout=_LOCK_SECONDS):
        launcher = environment.write_launcher(layout, environment.bin_folder())
        environment.make(layout)
        installed = versions.install(layout, archive, __version__, launcher=str(launcher))
    if installed.sha256 != sha256:
        raise InstallationError("the archive was changed while it was installed; run the line again")
    print(f"Installed memory {__version__} into {layout.root}")
    print(f"The command is {launcher}")
    return launcher


def _log_in(launcher: Path, server: str) -> bool:
    """Log in unless the laptop is logged in to this server; return whether it is."""
    token = os.environ.get("MEMORYSERVER_TOKEN", "")
    if connection.stored_url() == server and not token:
        print(f"This laptop is logged in to {server} already.")
        return True
    if token:
        return _run(launcher, "login", server, "--paste", words=token)
    if not sys.stdin.isatty():
        print(f"To log in: {_shown(launcher)} login {server}")
        return True
    print(f"\nLogging in to {server}")
    if _run(launcher, "login", server):
        return True
    print(f"Not logged in yet; later: {_shown(launcher)} login {server}")
    return False


def _offer_hooks(launcher: Path) -> bool:
    """Ask for each agent on this laptop whether its hooks are to be added; return whether that worked."""
    is_done = True
    for agent in (claude_code, codex):
        if not agent.is_installed():
            continue
        title = plan.AGENTS[agent.NAME]
        if not sys.stdin.isatty():
            print(f"To add the hooks to {title}: {_shown(launcher)} install {agent.NAME}")
        elif agreed(f"\nAdd the hooks to {title}, so that its sessions use the memory?"):
            is_done = _run(launcher, "install", agent.NAME) and is_done
        else:
            print(f"Later: {_shown(launcher)} install {agent.NAME}")
    return is_done


def _run(launcher: Path, *command: str, words: str | None = None) -> bool:
    """Run the installed command with this terminal, or with `words` as its input; return whether it worked."""
    sys.stdout.flush()
    variables = {name: value for name, value in os.environ.items() if name != "MEMORYSERVER_TOKEN"}
    done = subprocess.run([str(launcher), *command], check=False, env=variables, input=words, text=True)
    return done.returncode == 0


def _shown(launcher: Path) -> str:
    """Return the command as it is typed."""
    return f'& "{launcher}"' if os.name == "nt" else shlex.quote(str(launcher))


def _print_end(launcher: Path) -> None:
    folder = launcher.parent
    command = "memory"
    if not environment.is_on_path(folder):
        command = _shown(launcher)
        print(f"\n{folder} is not on your PATH. To call the command by its name:")
        if os.name == "nt":
            print(f"  [Environment]::SetEnvironmentVariable('PATH', \"{folder};\" + $env:PATH, 'User')")
        else:
            line = f'export PATH={shlex.quote(str(folder))}:"$PATH"'
            print(f"  echo {shlex.quote(line)} >> ~/.profile")
    print(f"\nTo see how it is: {command} status\nTo update:        {command} update")
    print(f"To undo all this: {command} uninstall --all")
