"""The whole path with real parts and real processes: from a transcript and a journal to a search result."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import psycopg

from memoryserver.database import embedded_socket_dir
from tests.support.migrated import Migrated
from tests.support.server_process import ROOT, Server

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


def test_first_day_with_the_real_model_finds_both_by_paraphrase(tmp_path: Path, migrated: Migrated) -> None:
    server = Server(migrated.files(tmp_path / "data"))
    server.leave_to_default("MEMORYSERVER_EMBEDDING_SERVICE")
    server.start()

    done = FirstDay(tmp_path / "laptop", server.token()).run(server)

    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == "The first day is done."
    assert server.stop() == 0


def test_killed_in_the_middle_and_started_again_it_ends_as_undisturbed(tmp_path: Path, migrated: Migrated) -> None:
    data_dir = migrated.files(tmp_path / "data")
    server = Server(data_dir).start()
    calm = FirstDay(tmp_path / "calm", server.token(), until="sync")
    assert calm.run(server).returncode == 0
    undisturbed = settled(data_dir, "admin")

    token = server.manage("create_token", "mallory", "--new-user")
    disturbed = FirstDay(tmp_path / "disturbed", token, until="sync")
    for part, moment in (("gunicorn", "scan again"), ("qcluster", "deliver learnings")):
        process = disturbed.launch(server)
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

    done = disturbed.run(server)
    assert done.returncode == 0, done.stdout
    assert settled(data_dir, "mallory") == undisturbed
    assert server.stop() == 0
