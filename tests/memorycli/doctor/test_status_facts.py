"""The facts of `memory status` for programs; test_status.py has what a person sees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memorycli.delivery.observations import OUTBOX_KIND
from memorycli.doctor.status_facts import as_json, gather
from memoryserver.client import discarded, sync_state
from memoryserver.client.outbox import Outbox
from tests.memorycli.commands.test_ghap import START
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Laptop(tmp_path, monkeypatch, capsys)


def test_new_laptop_has_nothing_and_no_times(memory: Laptop) -> None:
    facts = gather(offline=True)

    assert (facts["entry"], facts["server"], facts["errors"], facts["settings"]) == (None, None, [], [])
    assert (facts["sync"]["tried"], facts["sync"]["succeeded"], facts["dropped"]["last"]) == (None, None, None)
    assert (facts["waiting"]["queue_files"], facts["waiting"]["outbox"]) == (0, {})
    assert facts["capture"] == {"daemon": None, "installed": False, "transcripts": 0, "messages": 0, "last": None}
    assert (facts["home"], facts["project"]) == (str(memory.home), "project ü")


def test_active_entry_and_a_damaged_one(memory: Laptop) -> None:
    memory(*START)
    entry = gather(offline=True)["entry"]
    assert (entry["damaged"], entry["orphan"], entry["calls_since_check_in"]) == (False, False, 0)

    (memory.journal / "current_ghap.json").write_text("{")

    assert gather(offline=True)["entry"] == {"damaged": True}


def test_times_are_iso_8601(memory: Laptop) -> None:
    sync_state.fail("http://server", "offline")
    discarded.add(tool_calls=2, size=10)

    facts = gather(offline=True)

    for moment in (facts["sync"]["tried"], facts["sync"]["not_before"], facts["dropped"]["last"]):
        assert (len(moment), moment[10], moment[-1]) == (20, "T", "Z")
    assert facts["sync"]["succeeded"] is None


def test_what_waits_and_what_failed_is_counted_by_kind(memory: Laptop) -> None:
    outbox = Outbox(memory.home, OUTBOX_KIND)
    outbox.add("a", {})
    outbox.set_aside("b", {}, "too long")

    waiting = gather(offline=True)["waiting"]

    assert (waiting["outbox"], waiting["outbox_failed"]) == ({OUTBOX_KIND: 1}, {OUTBOX_KIND: 1})
    assert waiting["bytes"]["outbox"] > 0


def test_json_is_the_same_facts(memory: Laptop) -> None:
    facts = gather(offline=True)

    assert json.loads(as_json(facts)) == facts
