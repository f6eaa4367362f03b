from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.processes.deployment import empty_database, manage
from tests.support.processes.server_process import ROOT


def run(address: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "DATABASE_URL": address, "MEMORYSERVER_DATA": str(folder)}
    command = manage("prepare", *words)
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


def test_servers_that_start_together_prepare_the_database_once(tmp_path: Path) -> None:
    with empty_database() as address, ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda _: run(address, tmp_path), range(2)))

    assert [(process.returncode, process.stderr) for process in done] == [(0, "")] * 2
    assert sorted(process.stdout.count("API token msv_") for process in done) == [0, 1]


@pytest.mark.parametrize("words", [[], ["--wait", "1"]])
def test_database_that_cannot_be_reached_is_named_in_one_line(words: list[str], tmp_path: Path) -> None:
    process = run("postgres://memoryserver@%2Fnowhere/memoryserver", tmp_path, *words)

    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr.startswith("CommandError: Postgres cannot be used: ")
    assert process.stderr.count("\n") == 1
