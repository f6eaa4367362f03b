"""A developer's laptop: a home folder, a project, the `memory` command on the search path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.support.agents.hook_process import in_time
from tests.support.processes.server_process import ROOT

_NOT_INHERITED = ("MEMORYSERVER_", "CLAUDE", "CODEX", "DJANGO_", "PYTHON", "XDG_")
CLAUDE_CODE = "2.1.240 (Claude Code)"


class Laptop:
    """Calling it runs `memory` in the project's folder and gives what it prints."""

    def __init__(self, root: Path, project: str) -> None:
        self.home = root / "home ü"
        self.project = root / "work" / project
        (self.project / ".git").mkdir(parents=True)
        self.bin = root / "bin"
        self.bin.mkdir()
        self.memory_home = self.home / ".memoryserver"
        self.journal = self.project / ".claude/journal"
        self._program("memory", f'PYTHONPATH={ROOT} exec {sys.executable} -m memorycli "$@"')
        self._program("claude", f"echo '{CLAUDE_CODE}'")
        (self.home / ".claude").mkdir(parents=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_INHERITED)}
        self.environment = {**inherited, "HOME": str(self.home), "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def __call__(self, *words: str, stdin: str = "") -> str:
        done = subprocess.run(
            [self.bin / "memory", *words],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.project,
            env=self.environment,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json"))

    def log_in(self, url: str, token: str) -> None:
        self("login", url, stdin=token)

    def killed(self, after: float, *words: str) -> None:
        """`memory` with these words, killed after so many seconds."""
        process = subprocess.Popen(
            [self.bin / "memory", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.project,
            env=self.environment,
        )
        time.sleep(after)
        process.kill()
        process.wait()

    def write(self, name: str, text: str = "") -> Path:
        """A file of the project."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def catch_up(self) -> None:
        """Read the transcripts and send all there is."""
        self("capture", "scan")
        self("sync", "--strict")

    def waiting(self) -> dict[str, int]:
        """How much waits for the server or was refused by it, by kind, as `memory status` has it."""
        found = self.json("status", "--offline")["waiting"]
        kinds = {name: found[name] for name in ("queue_files", "queue_failed")}
        for name in ("outbox", "outbox_failed"):
            kinds |= {f"{name} {kind}": count for kind, count in found[name].items()}
        return {kind: count for kind, count in kinds.items() if count}

    def hook_log(self) -> list[str]:
        """What the hooks say went wrong, without time and process, and without that the machine was too busy."""
        path = self.memory_home / "logs/hook.log"
        return [line.partition("] ")[2] for line in in_time(path.read_text())] if path.exists() else []

    def task(self) -> Iterable[list[str]]:
        """The files that each session's task is about."""
        for path in sorted((self.memory_home / "trajectory").glob("*/task.json")):
            yield json.loads(path.read_bytes())["initial_paths"]

    def _program(self, name: str, line: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)
