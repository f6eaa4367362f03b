"""The contract of every channel: what each answer of a real HTTP server means for what waits."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from capture.local.queue import files as queue
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.scanning import transcript_report
from capture.local.scanning.scanner import scan
from ghap.local import server_answers
from memorycli.delivery import compactions, manual_learnings, observations, session_ends
from memorycli.delivery.channels import CHANNELS, LEARNINGS
from memorycli.delivery.report import NOTHING_NEW, ChannelReport
from memorycli.delivery.scope import Journal, Scope
from memoryserver.client import context_cache
from memoryserver.client.http import Client, UnauthorizedError
from memoryserver.client.outbox import Outbox
from tests.ghap.local.test_sync import fill
from tests.support.agents.claude_transcripts import Transcript
from tests.support.fakes.delivery_server import DeliveryServer, delivery_server
from trajectory.local import delivery as call_delivery
from trajectory.local import recorder, store

ITEMS = 3
LATER = (400, 404, 405, 408, 409, 429, 500, 502, 503)
REFUSED = (413, 422)
STOP = (401, 403)
GARBAGE = (b"<html>Sign in</html>", b"", b"{}", b"[]", b"1", b'{"results": []}', b'{"results": [null, null, null]}')


class Laptop:
    """A laptop on which `ITEMS` items of each channel can be put; `keys` is how the server names them."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.journal = root / "shop/.claude/journal"
        self._root = root

    def fill(self, channel: str) -> list[str]:
        """Put the items in place; the server's keys of them, oldest first."""
        fillers: dict[str, Callable[[], list[str]]] = {
            "journal": self._entries,
            "learnings": self._queue_files,
            "reports on transcripts": self._contexts,
            "learnings by hand": self._learnings,
            "observations": self._observations,
            "compactions": self._compactions,
            "trajectory": self._calls,
            "ends of sessions": self._ends,
            "contexts given": self._contexts_given,
        }
        return fillers[channel]()

    def failed(self, channel: str) -> dict[str, str]:
        """What is set aside in the channel, with the reasons."""
        if channel == "journal":
            return server_answers.refused(self.journal)
        if channel == "learnings":
            return {path.name: reason for path, reason in queue.failed(self.home / QUEUE_FOLDER)}
        kinds = {
            "reports on transcripts": transcript_report.OUTBOX_KIND,
            "learnings by hand": manual_learnings.OUTBOX_KIND,
            "observations": observations.OUTBOX_KIND,
            "compactions": compactions.OUTBOX_KIND,
            "trajectory": call_delivery.OUTBOX_KIND,
            "ends of sessions": session_ends.OUTBOX_KIND,
            "contexts given": context_cache.DELIVERIES,
        }
        outbox = Outbox(self.home, kinds[channel])
        return {path.stem: outbox.why_failed(path.stem) or "" for path in outbox.failed()}

    def scope(self, *, retry_failed: bool = False) -> Scope:
        return Scope((Journal(self.journal, "shop"),), retry_failed, ignore_pauses=True)

    def _entries(self) -> list[str]:
        return fill(self.journal, 1, ITEMS - 1)

    def _queue_files(self) -> list[str]:
        folder = self.home / QUEUE_FOLDER
        folder.mkdir(parents=True)
        for number in range(ITEMS):
            content = {"capture_id": f"c{number}", "context_id": "x", "message_range": [0, 1], "learnings": []}
            (folder / f"{number + 1}_x.json").write_text(json.dumps(content))
        return [f"c{number}" for number in range(ITEMS)]

    def _contexts(self) -> list[str]:
        for number in range(ITEMS):
            Transcript(self._root / f"projects/{number}.jsonl").person("Hello")
        scan(self.home, [self._root / "projects"])
        return [f"claude-code-{number}" for number in range(ITEMS)]

    def _learnings(self) -> list[str]:
        contents = [f"The port is {number}." for number in range(ITEMS)]
        for content in contents:
            manual_learnings.save(manual_learnings.body(type="gotcha", content=content, project="shop"))
        return contents

    def _observations(self) -> list[str]:
        return [observations.save(type="t", source="agent:a", message=f"{number}") for number in range(ITEMS)]

    def _compactions(self) -> list[str]:
        for number in range(ITEMS):
            compactions.outbox().add(f"{number}", {"id": f"{number}"})
        return [f"{number}" for number in range(ITEMS)]

    def _ends(self) -> list[str]:
        for number in range(ITEMS):
            session_ends.outbox().add(f"{number}", {"id": f"{number}"})
        return [f"{number}" for number in range(ITEMS)]

    def _contexts_given(self) -> list[str]:
        context_cache.store("shop", "http://server", "- Use uv [1]\n", documents=["learnings/1"])
        cached = context_cache.load("shop")
        assert cached is not None
        for number in range(ITEMS):
            context_cache.record_delivery(cached, cached.text, f"s{number}")
        return [path.stem for path in Outbox(self.home, context_cache.DELIVERIES).waiting()]

    def _calls(self) -> list[str]:
        for number in range(ITEMS):
            call: dict[str, object] = {
                "tool_name": "Read",
                "tool_input": {"n": number},
                "result": "x",
                "session_id": "s",
            }
            recorder.record_report(call, self._root / "shop")
        rows = store.trajectory("s").rows_from(0, ITEMS)
        return [call_delivery.id_of(row) for row, _ in rows if row is not None]


@pytest.fixture
def laptop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Laptop:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return Laptop(tmp_path)


@pytest.fixture
def server() -> Iterator[DeliveryServer]:
    with delivery_server() as running:
        yield running


def send(channel: str, server: DeliveryServer, laptop: Laptop, *, retry_failed: bool = False) -> ChannelReport:
    return CHANNELS[channel](Client(server.url, "token"), laptop.scope(retry_failed=retry_failed))


def recovers(channel: str, server: DeliveryServer, laptop: Laptop, keys: list[str]) -> None:
    """After the server works again everything that waits arrives exactly once."""
    server.recover()
    assert send(channel, server, laptop).complete
    assert sorted(server.arrived) == sorted(keys)
    assert send(channel, server, laptop).line == NOTHING_NEW
    assert (sorted(server.arrived), laptop.failed(channel)) == (sorted(keys), {})


@pytest.mark.parametrize("channel", CHANNELS)
def test_items_arrive_in_order_and_once(channel: str, server: DeliveryServer, laptop: Laptop) -> None:
    keys = laptop.fill(channel)

    assert send(channel, server, laptop).complete

    assert server.arrived == keys
    recovers(channel, server, laptop, keys)


@pytest.mark.parametrize("status", STOP)
@pytest.mark.parametrize("channel", CHANNELS)
def test_refused_token_stops_and_is_reported(channel: str, status: int, server: DeliveryServer, laptop: Laptop) -> None:
    keys = laptop.fill(channel)
    server.status = status

    if channel == LEARNINGS:  # its files have their own pauses, and the report has the reason
        report = send(channel, server, laptop)
        assert (report.complete, f"refused the token ({status}" in report.line) == (False, True)
    else:
        with pytest.raises(UnauthorizedError, match=f"refused the token \\({status}"):
            send(channel, server, laptop)

    assert (server.arrived, laptop.failed(channel)) == ([], {})
    recovers(channel, server, laptop, keys)


@pytest.mark.parametrize("status", LATER)
@pytest.mark.parametrize("channel", CHANNELS)
def test_status_that_does_not_judge_the_content_lets_all_wait(
    channel: str, status: int, server: DeliveryServer, laptop: Laptop
) -> None:
    keys = laptop.fill(channel)
    server.status, server.headers = status, {"Retry-After": "77"}

    for _ in range(3):
        report = send(channel, server, laptop)
        assert (report.complete, f"({status})" in report.line) == (False, True)
        assert channel == LEARNINGS or report.retry_after == 77.0

    assert (server.arrived, laptop.failed(channel)) == ([], {})
    recovers(channel, server, laptop, keys)


@pytest.mark.parametrize("channel", CHANNELS)
def test_dropped_connection_lets_all_wait(channel: str, server: DeliveryServer, laptop: Laptop) -> None:
    keys = laptop.fill(channel)
    server.drops = True

    assert not send(channel, server, laptop).complete

    assert (server.requests > 0, server.arrived, laptop.failed(channel)) == (True, [], {})
    recovers(channel, server, laptop, keys)


@pytest.mark.parametrize("content", GARBAGE)
@pytest.mark.parametrize("channel", CHANNELS)
def test_answer_that_does_not_name_each_item_moves_nothing(
    channel: str, content: bytes, server: DeliveryServer, laptop: Laptop
) -> None:
    keys = laptop.fill(channel)
    server.status, server.content = 200, content

    assert not send(channel, server, laptop).complete

    assert (server.arrived, laptop.failed(channel)) == ([], {})
    recovers(channel, server, laptop, keys)


@pytest.mark.parametrize("status", REFUSED)
@pytest.mark.parametrize("channel", CHANNELS)
def test_refused_items_are_set_aside_with_the_reason_and_sent_again_when_asked(
    channel: str, status: int, server: DeliveryServer, laptop: Laptop
) -> None:
    keys = laptop.fill(channel)
    server.status, server.content = status, b'{"detail": "no such thing"}'

    assert not send(channel, server, laptop).complete

    failed = laptop.failed(channel)
    assert len(failed) == ITEMS
    assert all(f"refused ({status}): no such thing" in reason for reason in failed.values())
    server.recover()
    send(channel, server, laptop)
    assert (server.arrived, laptop.failed(channel)) == ([], failed)
    assert send(channel, server, laptop, retry_failed=True).complete
    recovers(channel, server, laptop, keys)


@pytest.mark.parametrize("place", range(ITEMS))
@pytest.mark.parametrize("channel", CHANNELS)
def test_one_refused_item_is_found_and_the_others_arrive(
    channel: str, place: int, server: DeliveryServer, laptop: Laptop
) -> None:
    keys = laptop.fill(channel)
    server.poison = {keys[place]}

    assert not send(channel, server, laptop).complete

    assert server.arrived == [key for key in keys if key != keys[place]]
    assert ["poisoned" in reason for reason in laptop.failed(channel).values()] == [True]
    server.recover()
    send(channel, server, laptop, retry_failed=True)
    recovers(channel, server, laptop, keys)


@pytest.mark.parametrize("channel", CHANNELS)
def test_process_ended_at_any_file_operation_loses_no_item_and_keeps_the_refused_one(channel: str) -> None:
    """At every third one; `bench/proofs/crash_points.py` tries all."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.memorycli.delivery.channel_crash", "3", channel],
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr.decode()
    report = json.loads(process.stdout)[channel]
    assert (report["points"] > 5, report["failures"]) == (True, [])
