"""From transcripts and queue files into the database: the bridge, and what runs on the server by itself."""

from __future__ import annotations

import json
import threading
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as the_settings
from django.db import connection, connections
from django.test import TestCase
from django_q.models import OrmQ

from capture import jobs, server
from capture.local import Learning as Found
from capture.local import QueueFile, QueueProcessor, QueueWriter
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.queue.sink import SinkRefusedError, SinkUnavailableError
from capture.models import Capture, CaptureFailure, CaptureState, Learning, LearningSource
from capture.server import DatabaseSink
from memoryserver import jobs as all_jobs
from memoryserver.accounts.models import User
from memoryserver.ops.alerting import alerts
from tests.support.agents.claude_transcripts import Transcript

SAID = "Always run the linter before you commit, please."


def queue_file(number: int = 1, *contents: str, context: str = "claude-code-7625") -> QueueFile:
    found = [Found("decision", content, 0.85, number, f"u-{number}") for content in contents or ("Chose a queue",)]
    metadata = {"agent": "main", "agent_kind": "claude-code", "project": "shop", "tools_used": ["Read"]}
    when = f"2026-11-20T12:{number:02}:00Z"
    return QueueFile(context, when, (number, number), 3, found, metadata)


@pytest.fixture
def dora(db: None) -> User:
    return User.objects.create_user("dora")


@pytest.fixture
def works_here(dora: User, tmp_path: Path, settings: Any) -> Transcript:
    """A transcript on the server, of an agent that works there."""
    settings.DATA_DIR = tmp_path / "data"
    settings.CAPTURE_ROOTS = [str(tmp_path / "projects")]
    settings.CAPTURE_USER = "dora"
    return Transcript(tmp_path / "projects/shop/5f0c8a52.jsonl")


def process(folder: Path, user: User) -> Any:
    return QueueProcessor(folder, DatabaseSink(user)).process(ignore_pauses=True)


def standing() -> list[str]:
    return [alert.key for alert in alerts.open_alerts()]


def test_pai_v2_bridge_connects_correctly(transactional_db: None) -> None:
    """It really stores; on a connection that broke it says so, and works again on the next."""
    user = User.objects.create_user("dora")
    bridge = DatabaseSink(user)
    content = queue_file().to_dict()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process_id,) = cursor.fetchone()
    other = connections.create_connection("default")
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [process_id])
    other.close()

    with pytest.raises(SinkUnavailableError, match="the database rejected the file: .+"):
        bridge.store(content)
    receipt = bridge.store(content)

    assert (receipt.capture_id, receipt.stored) == (content["capture_id"], 1)
    assert Learning.objects.get().content == "Chose a queue"


def test_bridge_to_a_database_that_is_not_there_is_loud(
    transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = User.objects.create_user("dora")
    path = QueueWriter(tmp_path).write(queue_file())
    connection.close()
    with monkeypatch.context() as broken:
        broken.setitem(connection.settings_dict, "HOST", "/nowhere")
        done = process(tmp_path, user)
        connection.close()

    assert (done.delivered, done.waiting, path.exists()) == (0, 1, True)
    assert "the database rejected the file" in done.error
    assert process(tmp_path, user).stored == 1


def test_inserts_to_database(dora: User, tmp_path: Path) -> None:
    QueueWriter(tmp_path).write(queue_file(1, "Chose a queue", "Kept the old port"))

    done = process(tmp_path, dora)

    assert (done.delivered, done.stored, list(tmp_path.glob("*.json"))) == (1, 2, [])
    rows = Learning.objects.order_by("pk").values_list("user", "project__key", "type", "content", "confidence")
    assert list(rows) == [
        (dora.pk, "shop", "decision", "Chose a queue", 0.85),
        (dora.pk, "shop", "decision", "Kept the old port", 0.85),
    ]


def test_end_to_end_queue_to_database(dora: User, tmp_path: Path) -> None:
    """Everything that a queue file says is there afterwards, down to the message."""
    file = queue_file(7)
    QueueWriter(tmp_path).write(file)
    process(tmp_path, dora)

    capture, state, source = Capture.objects.get(), CaptureState.objects.get(), LearningSource.objects.get()
    assert (capture.capture_id, capture.compaction_number) == (uuid.UUID(file.capture_id), 3)
    assert (capture.first_message_index, capture.last_message_index) == (7, 7)
    assert capture.metadata == file.metadata
    assert (state.user, state.context_id, state.agent_kind) == (dora, "claude-code-7625", "claude-code")
    assert (source.capture, source.message_index, source.message_uuid) == (capture, 7, "u-7")


def test_no_duplicate_learnings_on_reprocess(dora: User, tmp_path: Path) -> None:
    """The same file twice; then the same learning in another file."""
    for _ in range(2):
        QueueWriter(tmp_path).write(queue_file(1))
        process(tmp_path, dora)
    QueueWriter(tmp_path).write(queue_file(2))
    process(tmp_path, dora)

    assert (Learning.objects.count(), Capture.objects.count()) == (1, 2)
    assert (Learning.objects.get().seen_count, LearningSource.objects.count()) == (2, 2)


def test_database_populated_after_queue_processing(works_here: Transcript) -> None:
    """From the transcript on: scan, queue, database."""
    works_here.person(SAID)
    assert jobs.scan_transcripts() == 1
    assert (Learning.objects.count(), len(list((server.home() / QUEUE_FOLDER).glob("*.json")))) == (0, 1)

    with TestCase.captureOnCommitCallbacks(execute=True):
        assert jobs.process_queue() == 1

    row = Learning.objects.get()
    assert (row.user.username, "run the linter" in row.content) == ("dora", True)
    assert list((server.home() / QUEUE_FOLDER).glob("*.json")) == []
    assert [waiting.name() for waiting in OrmQ.objects.all()] == ["capture.jobs.embed_pending"]


def test_second_run_finds_nothing_new_and_what_is_added_is_found(works_here: Transcript) -> None:
    works_here.person(SAID)
    for _ in range(2):
        jobs.scan_transcripts()
        jobs.process_queue()
    works_here.person("Never push to main directly, always open a pull request.")

    assert (jobs.scan_transcripts(), jobs.process_queue()) == (1, 1)
    assert Learning.objects.count() == 2


def test_contexts_of_the_server_are_counted_those_without_learnings_too(works_here: Transcript) -> None:
    works_here.person("Hello")
    jobs.scan_transcripts()

    state = CaptureState.objects.get()
    assert (state.message_count, state.learnings_delivered, str(state.project)) == (1, 0, "shop")


def test_without_the_settings_nothing_is_captured_here(works_here: Transcript, settings: Any) -> None:
    works_here.person(SAID)
    for name in ("CAPTURE_ROOTS", "CAPTURE_USER"):
        set_to = getattr(settings, name)
        setattr(settings, name, "")
        assert (jobs.scan_transcripts(), jobs.process_queue()) == (0, 0)
        setattr(settings, name, set_to)

    assert not server.home().exists()
    assert all("capture: " not in name for name, _, _ in the_settings.JOB_SCHEDULES)


def test_user_that_is_not_there_is_an_alert_until_there_is_one(works_here: Transcript, settings: Any) -> None:
    settings.CAPTURE_USER = "nobody"
    assert jobs.scan_transcripts() == 0
    assert standing() == ["server capture: settings"]

    settings.CAPTURE_USER = "dora"
    jobs.scan_transcripts()
    assert standing() == []


def test_file_that_is_refused_here_is_a_failure_that_is_told(works_here: Transcript, dora: User) -> None:
    folder = server.home() / QUEUE_FOLDER
    QueueWriter(folder).write(queue_file())
    (path,) = folder.glob("*.json")
    content = json.loads(path.read_bytes()) | {"compaction_number": -1}
    path.write_text(json.dumps(content))

    assert jobs.process_queue() == 0

    assert sorted(standing()) == [f"capture refused, user {dora.pk}", "server capture: delivery"]
    assert CaptureFailure.objects.get().reason.startswith("compaction_number: ")
    assert [one.name for one in (folder / "failed").glob("*.json")] == [path.name]


def test_bridge_refuses_what_is_no_queue_file(dora: User) -> None:
    with pytest.raises(SinkRefusedError, match="captured_at"):
        DatabaseSink(dora).store(queue_file().to_dict() | {"captured_at": "2026-11-20T12:00:00"})


@pytest.mark.parametrize("job", [jobs.scan_transcripts, jobs.process_queue])
def test_job_that_is_running_is_not_run_a_second_time(
    transactional_db: None, tmp_path: Path, settings: Any, job: Any
) -> None:
    settings.DATA_DIR, settings.CAPTURE_ROOTS = tmp_path / "data", [str(tmp_path)]
    settings.CAPTURE_USER = User.objects.create_user("dora").username
    Transcript(tmp_path / "shop/5f0c8a52.jsonl").person(SAID)
    QueueWriter(server.home() / QUEUE_FOLDER).write(queue_file())
    names = ("capture on the server: scan", "capture on the server: queue")
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with all_jobs.try_advisory_lock(names[0]) as first, all_jobs.try_advisory_lock(names[1]) as second:
            assert (first, second) == (True, True)
            held.set()
            done.wait(20)
        connections.close_all()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(20)
    while_held = job()
    done.set()
    holder.join()

    assert (while_held, job()) == (0, 1)
