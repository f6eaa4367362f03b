"""The state of this laptop, sent with every sync: its id, name and version, what waits here, whether capture runs.

$MEMORYSERVER_HOME/client.json     {"id"}, made once
"""

from __future__ import annotations

import json
import platform
import uuid

from capture.local.queue import files as queue_files
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.service import heartbeat
from memorycli.installation import layout
from memoryserver import __version__
from memoryserver.client import home_folder
from memoryserver.client.http import Client
from memoryserver.client.outbox import Outbox, kinds
from memoryserver.common import files

FILE = "client.json"
PATH = "/laptops"
REPORTED = "reported"


def client_id() -> str:
    """Return the id of this laptop; it is made when it is first needed. Raises OSError."""
    path = home_folder.path() / FILE
    stored = files.read_object(path).get("id")
    if isinstance(stored, str) and stored:
        return stored
    made = uuid.uuid4().hex
    files.make_folder(path.parent)
    files.write_atomic(path, json.dumps({"id": made}) + "\n")
    return made


def report(client: Client) -> str:
    """Send the state of this laptop; return a line about the answer. Raises ServerError and OSError."""
    home = home_folder.path()
    outboxes = [Outbox(home, kind) for kind in kinds(home)]
    queue = home / QUEUE_FOLDER
    state = {
        "client_id": client_id(),
        "name": platform.node()[:200],
        "version": __version__,
        "waiting": len(queue_files.waiting(queue)) + sum(len(outbox.waiting()) for outbox in outboxes),
        "failed": len(queue_files.failed(queue)) + sum(len(outbox.failed()) for outbox in outboxes),
        "capture_runs": heartbeat.running(home) is not None,
    }
    answer = client.post(PATH, state)
    if isinstance(answer, dict) and answer.get("too_old") is True:
        server = f" {answer['server_version']}" if isinstance(answer.get("server_version"), str) else ""
        return f"this client ({__version__}) is too old for the server{server}; to update: {layout.update_command()}"
    return REPORTED
