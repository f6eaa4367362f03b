"""A laptop for tests of the `memory` command: a project, a home folder, and the command in this process."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memorycli import renamed
from memorycli.main import main
from memoryserver.client import places

SETTINGS = (
    "CLAUDE_PROJECT_DIR",
    "MEMORYSERVER_JOURNAL_DIR",
    "MEMORYSERVER_PROJECT",
    "MEMORYSERVER_TOKEN",
    "MEMORYSERVER_URL",
)


@dataclass
class Said:
    """How a command ended."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output as JSON, the command having worked."""
        assert (self.status, self.err) == (0, "")
        return json.loads(self.out)


class Laptop:
    """Calling it runs `memory` in the project's folder."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.project = root / "project ü"
        (self.project / ".git").mkdir(parents=True)
        self.home = root / "home"
        self.journal = self.project / ".claude/journal"
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        monkeypatch.chdir(self.project)
        monkeypatch.setenv("MEMORYSERVER_HOME", str(self.home))
        for name in SETTINGS:
            monkeypatch.delenv(name, raising=False)

    def rename(self, remote: str = "https://github.com/acme/store.git") -> None:
        """Give the project a remote after a session began in it under the name of its folder."""
        (self.project / ".git/description").touch()
        renamed.news(places.of(self.project))
        (self.project / ".git/config").write_text(f'[remote "origin"]\n\turl = {remote}\n')

    def __call__(self, *words: str, stdin: bytes = b"") -> Said:
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self._capsys.readouterr()
        try:
            status = main(list(words))
        except SystemExit as error:
            status = int(error.code or 0)
        out, err = self._capsys.readouterr()
        return Said(status, out, err)

    def process(self, *words: str, program: str = "", stdin: bytes = b"", **environment: str) -> Said:
        """The same as a process of its own; `program` runs before the command."""
        source = f"{program}\nimport sys\nfrom memorycli.main import main\nsys.exit(main(sys.argv[1:]))"
        found = subprocess.run(
            [sys.executable, "-c", source, *words],
            input=stdin,
            capture_output=True,
            check=False,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])} | environment,
        )
        return Said(found.returncode, found.stdout.decode(), found.stderr.decode())
