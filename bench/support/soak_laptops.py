"""Laptops of the soak: the real `memory` command at work for an agent, whatever the server does meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 180.0  # seconds for the last delivery


class Laptop:
    """One agent whose tool calls and hypotheses go through hooks and the journal; delivered by `memory sync`."""

    def __init__(self, folder: Path, address: str, token: str, *, pause: float) -> None:
        self._project, self._pause = folder / "project", pause
        (self._project / ".git").mkdir(parents=True)
        self._environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(folder),
            "MEMORYSERVER_HOME": str(folder / "memory"),
            "MEMORYSERVER_TOKEN": token,
            "MEMORYSERVER_URL": address,
        }
        self.session = str(uuid.uuid4())
        self.calls: list[str] = []
        self.goals: list[str] = []
        self.errors: list[str] = []
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """End, and deliver what waits."""
        self._stopping.set()
        self._thread.join()
        deadline = time.monotonic() + LIMIT
        while (failure := self._memory("sync", "--strict")) is not None:
            if time.monotonic() > deadline:
                self.errors.append(f"not delivered: {failure}")
                return
            time.sleep(1)

    def wrong_rows(self, database: str) -> list[tuple[str, str, int]]:
        """Return the entries that are not in the database exactly once, and the session if it has other tool calls.

        The laptop gives these ids of its own, so each is known by the command that it ran.
        """
        with psycopg.connect(database) as connection:
            commands = "SELECT body::text FROM trajectory_toolcall WHERE session_id = %s"
            sent = [row[0] for row in connection.execute(commands, [self.session]).fetchall()]
            goals: dict[str, int] = dict(
                connection.execute("SELECT goal, count(*) FROM ghap_entry GROUP BY 1").fetchall()
            )
        rows = [("hook", call, sum(f"{call} " in text for text in sent)) for call in self.calls]
        rows += [("journal", goal, goals.get(goal, 0)) for goal in self.goals]
        return [row for row in rows if row[2] != 1]

    def _work(self) -> None:
        turn = 0
        while not self._stopping.wait(self._pause):
            turn += 1
            self._tool_call()
            if turn % 5 == 0:
                self._hypothesis()
            if turn % 10 == 0:
                self._memory("sync")  # the server may be down; what waits is delivered later

    def _tool_call(self) -> None:
        call = f"part-{uuid.uuid4().hex}"
        event = {
            "session_id": self.session,
            "cwd": str(self._project),
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_use_id": f"toolu_{uuid.uuid4().hex}",
            "tool_input": {"command": f"make {call} all"},
            "tool_response": {"stdout": "ok", "stderr": "", "interrupted": False},
        }
        if self._must("hook", event=event):
            self.calls.append(call)

    def _hypothesis(self) -> None:
        goal = f"Find out why build {uuid.uuid4().hex} fails"
        texts = ["--goal", goal, "--hypothesis", "It waits", "--action", "Look", "--prediction", "It is seen"]
        if self._must("ghap", "start", "--domain", "debugging", "--strategy", "read-the-error", *texts) and self._must(
            "ghap", "resolve", "confirmed", "--result", "It was seen"
        ):
            self.goals.append(goal)

    def _must(self, *words: str, event: dict[str, Any] | None = None) -> bool:
        """Run a command that works without a server, and remember it if it fails."""
        failure = self._memory(*words, event=event)
        if failure is not None:
            self.errors.append(f"memory {' '.join(words[:2])}: {failure}")
        return failure is None

    def _memory(self, *words: str, event: dict[str, Any] | None = None) -> str | None:
        """Run `memory` and return what it says if it fails."""
        done = subprocess.run(
            [sys.executable, "-m", "memorycli", *words],
            cwd=self._project,
            env=self._environment,
            input=json.dumps(event) if event else "",
            capture_output=True,
            text=True,
            check=False,
        )
        return None if done.returncode == 0 else (done.stderr or done.stdout)[-300:]
