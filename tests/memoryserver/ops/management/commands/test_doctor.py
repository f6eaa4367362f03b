from __future__ import annotations

import json

import pytest

from memoryserver.ops.models import CLUSTER
from tests.support.database.restored_server import Target
from tests.support.processes.server_process import free_port

pytestmark = pytest.mark.django_db(transaction=True)


def test_findings_are_shown_at_80_columns_with_their_cures_and_the_status_is_1(copied_server: Target) -> None:
    done = copied_server.manage(
        "doctor", MEMORYSERVER_PORT=str(free_port()), MEMORYSERVER_DEBUG="1", MEMORYSERVER_BACKUPDIR="/x"
    )

    assert (done.returncode, done.stderr) == (1, "")
    assert "WRONG  job workers: no job worker has ever worked\n       To fix: start one: manage.py" in done.stdout
    assert (
        "WRONG  settings: MEMORYSERVER_BACKUPDIR is not a setting; did you mean\n       MEMORYSERVER_BACKUP_DIR?\n"
        in (done.stdout)
    )
    assert "WRONG  exposure: MEMORYSERVER_DEBUG is on" in done.stdout
    problems = [line for line in done.stdout.splitlines() if not line.startswith("       To fix: ")]
    assert [line for line in problems if len(line) > 80] == []
    assert "\nok     Postgres version, database, PgBouncer, pgvector, migrations, " in done.stdout


def test_json_has_every_check(copied_server: Target) -> None:
    copied_server.execute(f"INSERT INTO ops_heartbeat VALUES ('{CLUSTER}', now())")

    done = copied_server.manage("doctor", "--json", MEMORYSERVER_PORT=str(free_port()))

    result = json.loads(done.stdout)
    findings = {check["check"]: check["findings"] for check in result["checks"]}
    assert (done.returncode, result["ok"]) == (1, False)
    assert (findings["job workers"], findings["database"]) == ([], [])
    assert set(findings["web server"][0]) == {"what", "fix"}
