"""From transcripts to the database: the laptop's side in processes of its own, the server's over HTTP."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from bench import capture_crash
from capture.models import Learning
from memoryserver.accounts import tokens
from tests.support.agents.claude_transcripts import Transcript
from tests.support.laptops.capture_laptop import Laptop, cause
from tests.support.rows.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


class Machine(Laptop):
    """A laptop whose `memory` is a process, logged in at the live server."""

    def __init__(self, base: Path, server: LiveServer) -> None:
        super().__init__(base)
        _, token = tokens.issue(UserFactory(), "laptop")
        given = {"MEMORYSERVER_HOME": str(self.home), "MEMORYSERVER_URL": server.url, "MEMORYSERVER_TOKEN": token}
        self.environment = {**os.environ, **given}
        self.token = token

    def memory(
        self, *words: str, given: dict[str, str] | None = None, largest_file: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        def limit() -> None:
            if largest_file is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

        return subprocess.run(
            [sys.executable, "-m", "memorycli", *words],
            env={**self.environment, **(given or {})},
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=limit,
        )

    def cycle(self, given: dict[str, str] | None = None) -> None:
        done = self.memory("capture", "run", "--once", "--root", str(self.root), given=given)
        assert done.returncode == 0, done.stderr


OFFLINE = {"MEMORYSERVER_URL": "http://127.0.0.1:9"}


def stored() -> Counter[str]:
    return Counter(Learning.objects.values_list("content", flat=True))


@pytest.fixture
def machine(tmp_path: Path, live_server: LiveServer) -> Machine:
    return Machine(tmp_path, live_server)


def test_captures_learnings_before_simulated_compaction(machine: Machine):
    records = [machine.transcript.agent(cause(number)) for number in (1, 2, 3)]
    machine.cycle()
    machine.transcript.path.unlink()
    after = Transcript(machine.transcript.path)
    after.summary(uuid="summary")
    after.write(records[2])
    after.agent(cause(4), uuid="new")
    machine.cycle()
    assert stored() == Counter([cause(1), cause(2), cause(3), cause(4)])


def test_queue_survives_daemon_restart(machine: Machine):
    machine.transcript.agent(cause(1))
    machine.cycle(OFFLINE)
    assert (machine.queued(), stored()) == ([cause(1)], Counter())
    machine.transcript.agent(cause(2))
    machine.cycle()
    assert machine.memory("capture", "process", "--now").returncode == 0
    assert stored() == Counter([cause(1), cause(2)])


def test_database_populated_after_queue_processing(machine: Machine):
    machine.transcript.person("Always run the linter before you commit.")
    machine.transcript.agent(cause(1))
    machine.cycle()
    kept = Learning.objects.order_by("sources__message_index").values_list("type", "content", "project__key")
    assert list(kept) == [
        ("preference", "Always run the linter before you commit.", "shop"),
        ("solution", cause(1), "shop"),
    ]
    assert machine.queued() == []


def test_no_duplicate_learnings_on_reprocess(machine: Machine):
    """The marks gone, the ledger gone, the same queue file sent again: the server knows what it has."""
    machine.transcript.agent(cause(1))
    machine.cycle(OFFLINE)
    (queued,) = (machine.home / "learning_queue").glob("[0-9]*.json")
    copy = queued.read_bytes()
    machine.memory("capture", "process", "--now")
    queued.write_bytes(copy)
    for path in (machine.home / "capture_state").iterdir():
        path.unlink()
    machine.cycle()
    machine.memory("capture", "process", "--now")
    assert (stored(), machine.queued()) == (Counter([cause(1)]), [])


def test_a_disk_that_takes_no_more_loses_nothing_and_is_an_error_in_one_line(machine: Machine):
    for number in range(1, 4):
        machine.transcript.agent(cause(number))
    done = machine.memory("capture", "run", "--once", "--root", str(machine.root), largest_file=400)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "File too large" in done.stderr
    assert (machine.queued(), stored()) == ([], Counter())
    machine.cycle()
    assert stored() == Counter([cause(1), cause(2), cause(3)])


def test_two_processors_at_once_deliver_each_file_once(machine: Machine):
    for number in range(12):
        Transcript(machine.root / f"{number}.jsonl").agent(cause(number))
    machine.cycle(OFFLINE)
    command = [sys.executable, "-m", "memorycli", "capture", "process", "--now", "--json"]
    both = [
        subprocess.Popen(command, env=machine.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert stored() == Counter(cause(number) for number in range(12))
    assert set(Learning.objects.values_list("seen_count", flat=True)) == {1}


def test_killed_again_and_again_while_the_server_comes_and_goes_each_learning_is_stored_once(
    tmp_path: Path, live_server: LiveServer, machine: Machine
):
    outcome = capture_crash.trial(live_server.url, machine.token, tmp_path, kills=12, seed=7)
    capture_crash.check(outcome.written, stored())
    assert outcome.kills == 12
    assert outcome.ended_early == 0
    assert len(outcome.written) > 50
