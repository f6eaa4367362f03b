"""The whole path with real parts and real processes: from a transcript and a journal to a search result."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import psycopg

from memoryserver.database import embedded_socket_dir
from tests.support.database.migrated import Migrated
from tests.support.processes.server_process import ROOT, Server

_CAPTURES = "capture_capture JOIN capture_capturestate AS state ON state.id = state_id"
_TOLD = "type IN ('ghap.persisted', 'capture.learnings')"
COUNTED = {
    "entries": "SELECT count(*) FROM ghap_entry WHERE user_id = %s",
    "learnings": "SELECT count(*) FROM capture_learning WHERE user_id = %s",
    "sightings": "SELECT sum(seen_count) FROM capture_learning WHERE user_id = %s",
    "captures": f"SELECT count(*) FROM {_CAPTURES} WHERE user_id = %s",
    "vectors": "SELECT count(*) FROM vectors_record WHERE embedding IS NOT NULL AND user_id = %s",
    "without vector": "SELECT count(*) FROM vectors_record WHERE embedding IS NULL AND user_id = %s",
    "told": f"SELECT count(*) FROM obslog_observation WHERE {_TOLD} AND user_id = %s",
}


class FirstDay:
    """tools/first_day.sh as a laptop that keeps its folder."""

    def __init__(self, work: Path, token: str, *, until: str = "") -> None:
        told = {"FIRST_DAY_WORK": str(work), "FIRST_DAY_TOKEN": token, "FIRST_DAY_UNTIL": until}
        self._environment = {**os.environ, **told}

    def run(self, server: Server) -> subprocess.CompletedProcess[str]:
        process = self.launch(server)
        output, _ = process.communicate(timeout=240)
        return subprocess.CompletedProcess(process.args, process.returncode, output)

    def launch(self, server: Server) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [ROOT / "tools" / "first_day.sh", server.address],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def settled(data_dir: Path, user: str) -> dict[str, int]:
    """What there is of `user`'s once every learning and entry of theirs is embedded."""
    deadline = time.monotonic() + 120
    while (found := _counts(data_dir, user))["without vector"]:
        assert time.monotonic() < deadline, found
        time.sleep(0.5)
    return found


def _counts(data_dir: Path, user: str) -> dict[str, int]:
    with psycopg.connect(
        host=str(embedded_socket_dir(data_dir)), user="memoryserver", dbname="memoryserver"
    ) as connection:
        (number,) = connection.execute("SELECT id FROM accounts_user WHERE username = %s", [user]).fetchone() or (0,)
        return {what: _one(connection.execute(query, [number]).fetchone()) for what, query in COUNTED.items()}


def _one(row: tuple[int, ...] | None) -> int:
    assert row is not None
    return row[0]


def test_first_day_finds_both_by_paraphrase_and_killed_in_the_middle_it_ends_as_undisturbed(
    tmp_path: Path, migrated: Migrated
) -> None:
    data_dir = migrated.files(tmp_path / "data")
    server = Server(data_dir, MEMORYSERVER_EMBEDDING_SERVICE="onnx").start()  # the real model, without torch
    calm = FirstDay(tmp_path / "calm", server.token()).run(server)
    assert calm.returncode == 0, calm.stdout
    assert calm.stdout.splitlines()[-1] == "The first day is done."
    undisturbed = settled(data_dir, "admin")

    disturbed = FirstDay(tmp_path / "disturbed", server.manage("create_token", "mallory", "--new-user"), until="sync")
    for part, moment in (("gunicorn", "scan again"), ("qcluster", "deliver learnings")):
        kill_at(server, disturbed, part, moment)

    done = disturbed.run(server)
    assert done.returncode == 0, done.stdout
    assert settled(data_dir, "mallory") == undisturbed
    assert server.stop() == 0


def kill_at(server: Server, day: FirstDay, part: str, moment: str) -> None:
    """Run the day and kill `part` of the server once it says `moment`; wait until both have done what they can."""
    process = day.launch(server)
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if moment in line:
            break
    assert moment in said[-1], said
    server.kill_part(part)
    process.communicate(timeout=240)
    server.wait_until_ready()
