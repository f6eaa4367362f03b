"""`memory status` on a laptop of the test's own."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import pytest

from capture.local.service import heartbeat, installer
from ghap.local.sync import sync_journal
from memorycli.delivery import connection
from memorycli.delivery.observations import OUTBOX_KIND, save
from memorycli.doctor import laptop
from memorycli.hook import log
from memoryserver.client import discarded, sync_state
from memoryserver.client.outbox import Outbox
from memoryserver.common.columns import columns_of
from tests.ghap.local.test_sync import fill
from tests.memorycli.commands.test_ghap import START
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    user = tmp_path / "user"
    (user / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Laptop(tmp_path, monkeypatch, capsys)


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        connection.store(running.url, running.token)
        yield running


def lines(memory: Laptop, *words: str) -> list[str]:
    """The lines of the status, whose exit status says whether one of them is marked."""
    said = memory("status", *words)
    assert (said.status, said.err) == (int(said.out.startswith("! ")), "")
    assert max(map(len, said.out.splitlines())) <= 80
    return said.out.splitlines()


def test_new_laptop_is_told_what_to_do_first(memory: Laptop) -> None:
    assert lines(memory) == [
        "! server    not logged in; run: memory login URL",
        "! hooks     Claude Code: not installed",
        "  entry     none active in this project",
        "  project   project ü",
        "  delivery  not tried yet",
        "  waiting   nothing",
        "  disk      0 kB of 200 MB used, 0 kB of it tool calls, sent ones too",
        "  capture   off; for learnings from transcripts: memory capture install",
        "  read      0 transcripts, 0 messages",
        "            To fix: memory doctor",
    ]
    assert not memory.home.exists()


def test_laptop_that_is_well_has_no_mark(memory: Laptop, server: HttpServer) -> None:
    memory("install", "claude-code")
    memory(*START)
    memory("sync")
    with heartbeat.daemon_lock(memory.home):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        heartbeat.write(memory.home, heartbeat.Heartbeat(os.getpid(), now, now))
        said = lines(memory)

    assert [line for line in said if line.startswith("!")] == []
    assert said[0].startswith("  entry     ")
    assert f"  server    {server.url}, as alice" in said
    assert "  delivery  succeeded just now" in said


def test_what_needs_somebody_comes_first(memory: Laptop) -> None:
    connection.store("http://127.0.0.1:1", "t")
    outbox = Outbox(memory.home, OUTBOX_KIND)
    outbox.set_aside("a", {}, "too long")
    fill(memory.journal, 0, 1)
    sync_journal(memory.journal, "p", lambda *_: {"results": [{"status": "refused", "reason": "no goal"}]})
    save(type="t", source="a:b", message="waits")
    discarded.add(tool_calls=2, size=5_000_000)
    for _ in range(2):
        sync_state.fail("http://127.0.0.1:1", "journal: offline")
    log.write("OSError: disk\x1b[31m full " + "x" * 5000)

    said = "\n".join(lines(memory)).replace("\n" + " " * 12, " ")

    marked, _, rest = said.partition("\n  entry")
    assert "! server    http://127.0.0.1:1 cannot be reached" in marked
    assert "! delivery  2 failed attempts, the last just now: journal: offline" in marked
    assert "! outbox    the server refused 1 observation" in marked
    assert "! journal   the server refused 1 entry" in marked
    assert "! error     hook, just now: OSError: disk full xxx" in marked
    assert "  waiting   1 observation\n" in rest
    assert "discarded 2 tool calls, 0 observations (5.0 MB) unsent, last just now" in rest


def test_wrong_clock_needs_somebody(memory: Laptop, server: HttpServer) -> None:
    server.date = formatdate(time.time() + 400 * 86_400, usegmt=True)

    said = lines(memory)

    assert "! clock     400 days behind the server's: what is recorded here gets wrong times" in said


def test_offline_asks_no_server(memory: Laptop, server: HttpServer) -> None:
    said = lines(memory, "--offline")

    assert ([line for line in said if "server" in line], server.requests) == ([], [])


def test_json_has_all_of_it(memory: Laptop, server: HttpServer) -> None:
    memory(*START)

    said = memory("status", "--json")
    facts = json.loads(said.out)

    assert (said.status, facts["problems"]) == (1, ["hooks: Claude Code: not installed"])
    assert facts["entry"]["calls_since_check_in"] == 0
    assert facts["server"]["user"] == "alice"
    assert facts["hooks"] == {"Claude Code": []}
    assert sorted(facts) == [
        "capture", "disk_low", "dropped", "earlier_keys", "entry", "errors", "excluded", "home", "hooks", "journal",
        "observers", "problems", "project", "root", "server", "settings", "sync", "waiting",
    ]  # fmt: skip


def test_project_and_journal_are_shown(memory: Laptop) -> None:
    assert "  project   project ü" in lines(memory, "--offline")
    facts = json.loads(memory("status", "--json", "--offline").out)
    assert (facts["project"], facts["root"]) == ("project ü", str(memory.project))
    assert facts["journal"] == str(memory.journal)


def test_damaged_entry_is_marked(memory: Laptop) -> None:
    memory(*START)
    (memory.journal / "current_ghap.json").write_text("{")

    assert "! entry     the active entry is damaged" in lines(memory)


def test_disk_that_is_nearly_full_is_marked(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laptop, "LOW_BYTES", 10**18)

    said = [line for line in lines(memory, "--offline") if line.startswith("! disk      the disk of")]
    facts = json.loads(memory("status", "--json", "--offline").out)

    assert len(said) == 1
    assert facts["disk_low"].endswith(" MB left; new records may be lost")


def test_old_error_is_shown_without_a_mark(memory: Laptop) -> None:
    log.write("first")
    path = memory.home / "logs/hook.log"
    path.write_text(path.read_text().replace(path.read_text()[:4], "2020"))

    assert any(line.startswith("  error     hook, ") and line.endswith("days ago: first") for line in lines(memory))


def test_service_that_is_installed_and_does_not_run_is_marked(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    path = installer.service_for().path
    path.parent.mkdir(parents=True)
    path.write_text("")

    assert "! capture   the service is installed, but the daemon is not running" in lines(memory, "--offline")


def test_agent_that_is_not_used_is_not_marked_where_another_has_hooks(memory: Laptop) -> None:
    memory("install", "claude-code")
    (Path.home() / ".codex").mkdir()

    said = lines(memory, "--offline")

    assert "  hooks     Codex: not installed" in said


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_status_fits_the_terminal(columns: str, memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    log.write("数据库连接池 " * 60)

    said = memory("status", "--offline").out.splitlines()

    assert max(map(columns_of, said)) <= min(int(columns), 100)
    assert sum(line.startswith(" " * 12) for line in said) > 0


def test_client_older_than_the_server_is_told_how_to_update(memory: Laptop, server: HttpServer) -> None:
    server.version = "99.0.0"

    assert any(line.startswith("  client    ") and "older than the server" in line for line in lines(memory))


def test_memory_under_the_name_before_is_marked_with_the_command(memory: Laptop, server: HttpServer) -> None:
    memory.rename()
    said = lines(memory)

    assert [line for line in said if line[2:9] == "project" or "rename" in line] == [
        "! project   its memory is under its former name, project ü; to bring it over:",
        "            memory projects rename",
        "  project   github.com/acme/store",
    ]
    assert json.loads(memory("status", "--json").out)["earlier_keys"] == ["project ü"]
