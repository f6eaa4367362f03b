"""A user's empty account on which the join line is run: no variable of this process, the system's Python, `sh`."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

SYSTEM_PYTHON = Path("/usr/bin/python3")
LIMIT = 120.0  # seconds


@dataclass
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str = ""


class Account:
    """A home folder, with a blank in its name."""

    def __init__(self, root: Path, *, path: str = "/usr/bin:/bin") -> None:
        self.home = root / "home of ada"
        self.home.mkdir(parents=True)
        self.command = self.home / ".local/bin/memory"
        self.client = self.home / ".memoryserver/client"
        self.environment = {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", "MEMORY_PYTHON": python()}

    def sh(
        self, script: str, *words: str, shell: Sequence[str] = ("sh",), stdin: str = "", **environment: str
    ) -> Ended:
        """Run a shell's `script` without a terminal."""
        done = subprocess.run(
            ["/bin/" + shell[0], *shell[1:], "-c", script, "sh", *words],
            env=self.environment | environment,
            cwd=self.home,
            input=stdin,
            capture_output=True,
            check=False,
            text=True,
            timeout=LIMIT,
            start_new_session=True,  # else the terminal of the person who runs the tests would be found
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def memory(self, *words: str, stdin: str = "") -> Ended:
        """Run the installed command."""
        return self.sh('exec "$@"', str(self.command), *words, stdin=stdin)

    def on_terminal(self, script: str, answers: dict[str, str | Callable[[re.Match[str]], None]]) -> Ended:
        """Run the script on a terminal; at each pattern type the text, or call the function with the match, once."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.home)
            os.execve("/bin/sh", ["sh", "-c", script], self.environment)
        screen, open_answers = "", dict(answers)
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            screen += part.decode()
            for pattern, answer in list(open_answers.items()):
                if match := re.search(pattern, screen):
                    del open_answers[pattern]
                    if isinstance(answer, str):
                        os.write(terminal, answer.encode())
                    else:
                        answer(match)
        os.close(terminal)
        return Ended(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), screen.replace("\r\n", "\n"))


def python() -> str:
    """Return the system's Python, or this one where that is too old or missing."""
    check = [str(SYSTEM_PYTHON), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    is_usable = SYSTEM_PYTHON.exists() and subprocess.run(check, check=False).returncode == 0
    return str(SYSTEM_PYTHON) if is_usable else sys.executable


def script_of(server: str) -> str:
    """Return the join script."""
    with urllib.request.urlopen(f"{server}/join") as response:
        return str(response.read().decode())
