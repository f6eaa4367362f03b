"""Agents that send to a server and ask it, and remember what it has acknowledged.

As the laptop's delivery does, each sends the same body again until it is acknowledged: its ids were made before.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from memoryserver.common.ids import uuid7
from tests.support.rows.ghap_entries import body as ghap_entry

PROJECT = "github.com/acme/busy"
WORDS = [
    "lock",
    "timeout",
    "export",
    "backup",
    "retry",
    "cache",
    "socket",
    "migration",
    "index",
    "deadlock",
    "queue",
    "replica",
    "token",
    "proxy",
    "parser",
]
TIMEOUT = 20.0
LIMIT = 60.0  # seconds for what is being sent at the end
_ROWS = {
    "entry": "SELECT ghap_id, count(*) FROM ghap_entry GROUP BY 1",
    "call": "SELECT call_id, count(*) FROM trajectory_toolcall GROUP BY 1",
    "capture": "SELECT capture_id::text, count(*) FROM capture_capture GROUP BY 1",
    "learning": "SELECT content, count(*) FROM capture_learning GROUP BY 1",
    "hook": "SELECT call_id, count(*) FROM trajectory_toolcall GROUP BY 1",
    # One that is sent under the time of a wrong clock, as the server sees it, is stored under another id.
    "observation": "SELECT coalesce(reported_id, id)::text, count(*) FROM obslog_observation GROUP BY 1",
}


class Agent:
    """What one agent sends: each body has ids of its own, and the names of the rows that it becomes."""

    def __init__(self, number: int) -> None:
        """Every fifth has a laptop whose clock is an hour fast, and every fifth one whose clock is an hour slow."""
        self._random = random.Random(number)
        self._clock = timedelta(hours={1: 1, 2: -1}.get(number % 5, 0))
        self._session = f"session-{number}-{uuid.uuid4().hex[:8]}"

    def next(self) -> tuple[str, dict[str, Any], list[tuple[str, str]]]:
        """Return the path, the body and the rows, by table and id, of the next thing to send."""
        make: Callable[[], tuple[str, dict[str, Any], list[tuple[str, str]]]] = self._random.choice(
            [self.tool_calls, self.tool_calls, self.hook, self.hook, self.observation, self.entry, self.capture]
        )
        return make()

    def question(self) -> str:
        """Return the path of a search."""
        return "/api/v1/search?" + urllib.parse.urlencode({"q": f"{self._text(3)}?", "limit": 5})

    def _now(self) -> str:
        return (datetime.now(UTC) + self._clock).isoformat()

    def _text(self, words: int) -> str:
        return " ".join(self._random.choices(WORDS, k=words))

    def tool_calls(self) -> tuple[str, dict[str, Any], list[tuple[str, str]]]:
        ids = [uuid.uuid4().hex for _ in range(3)]
        plain = {"tool_name": "Bash", "tool_input": {"command": f"make {self._text(1)}"}, "result": self._text(20)}
        calls = [{**plain, "id": identifier, "timestamp": self._now()} for identifier in ids]
        return (
            "/trajectory/calls",
            {"session_id": self._session, "project": PROJECT, "calls": calls},
            [("call", identifier) for identifier in ids],
        )

    def hook(self) -> tuple[str, dict[str, Any], list[tuple[str, str]]]:
        identifier = f"toolu_{uuid.uuid4().hex}"
        event = {
            "session_id": f"{self._session}-hooks",
            "cwd": "/home/dev/busy",
            "hook_event_name": "PostToolUse",
            "tool_name": "Read",
            "tool_use_id": identifier,
            "tool_input": {"file_path": f"/home/dev/busy/{self._text(1)}.py"},
            "tool_response": {"type": "text", "file": {"content": self._text(10)}},
        }
        return "/hooks/claude-code", event, [("hook", identifier)]

    def observation(self) -> tuple[str, dict[str, Any], list[tuple[str, str]]]:
        identifier = str(uuid7())
        content = {"id": identifier, "type": "task.updated", "source": "agent:busy", "message": self._text(8)}
        return "/observations", content, [("observation", identifier)]

    def entry(self) -> tuple[str, dict[str, Any], list[tuple[str, str]]]:
        identifier = f"ghap_{datetime.now(UTC) + self._clock:%Y%m%d_%H%M%S}_{uuid.uuid4().hex[:12]}"
        entry = ghap_entry(id=identifier, goal=f"Find out why the {self._text(4)}", created_at=self._now())
        return "/ghap/entries", {"project": PROJECT, "entries": [entry]}, [("entry", identifier)]

    def capture(self) -> tuple[str, dict[str, Any], list[tuple[str, str]]]:
        capture, text = str(uuid.uuid4()), f"The {self._text(6)} needs build {uuid.uuid4().hex}"
        learning = {"type": "gotcha", "content": text, "confidence": 0.9, "source_message_index": 1}
        content = {
            "capture_id": capture,
            "context_id": self._session,
            "captured_at": self._now(),
            "message_range": [0, 3],
            "compaction_number": 0,
            "learnings": [learning],
            "metadata": {"project": PROJECT},
        }
        return "/capture/queue-files", content, [("capture", capture), ("learning", text)]


class Traffic:
    """Agents at work, each in a thread of its own, until `stop`."""

    def __init__(self, addresses: Sequence[str], token: str, *, agents: int, pause: float = 0.0) -> None:
        self._addresses, self._token, self._pause = addresses, token, pause
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._deadline = 0.0
        self.given_up: list[str] = []
        self.acknowledged: list[tuple[str, str]] = []
        self.by_address: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.refused: list[str] = []  # answers that say that the request is wrong
        self.failed_requests: list[str] = []  # ids of requests that the server answered with an error of its own
        self._threads = [threading.Thread(target=self._work, args=[Agent(number)]) for number in range(agents)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End after what is being sent has been acknowledged, or given up after LIMIT seconds."""
        self._deadline = time.monotonic() + LIMIT
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _work(self, agent: Agent) -> None:
        while not self._stopping.wait(self._pause):
            path, body, rows = agent.next()
            if self.send(f"/api/v1{path}", json.dumps(body).encode()):
                with self._lock:
                    self.acknowledged += rows
            if not self._stopping.is_set():
                self.send(agent.question(), None)

    def send(self, path: str, body: bytes | None) -> bool:
        """Send until the server acknowledges it; return False if it says that the request is wrong.

        What is not acknowledged LIMIT seconds after `stop` is given up.
        """
        while True:
            if self._stopping.is_set() and time.monotonic() > self._deadline:
                self.given_up.append(path)
                return False
            address = random.choice(self._addresses)
            status, text, request_id = self._ask(address + path, body)
            with self._lock:
                self.statuses[status] += 1
                if status >= 500 and request_id:
                    self.failed_requests.append(request_id)
                if 400 <= status < 500:
                    self.refused.append(f"{path} {status} {text[:300]}")
                    return False
                if 200 <= status < 300:
                    self.by_address[address] += 1
                    return True
            time.sleep(0.1)

    def _ask(self, address: str, body: bytes | None) -> tuple[int, str, str]:
        """Return the status, 0 if there was no answer, its text, and the id of the request."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        try:
            with _answered(urllib.request.Request(address, body, headers)) as answer:
                text = answer.read().decode(errors="replace")
                return int(answer.status), text, answer.headers.get("X-Request-ID", "")
        except (OSError, http.client.HTTPException) as error:  # also of a server that is killed while it answers
            return 0, str(error), ""


def _answered(request: urllib.request.Request) -> Any:
    """Return the response, also one that says that the request failed."""
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        return error


def wrong_rows(database: str, acknowledged: Sequence[tuple[str, str]]) -> list[tuple[str, str, int]]:
    """Return those of the acknowledged rows that are not in the database exactly once, with how often they are."""
    with psycopg.connect(database) as connection:
        counts: dict[str, dict[str, int]] = {
            table: dict(connection.execute(statement).fetchall()) for table, statement in _ROWS.items()
        }
    found = [(table, key, int(counts[table].get(key, 0))) for table, key in acknowledged]
    return [row for row in found if row[2] != 1]
