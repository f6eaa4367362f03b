"""Damaged, locked and read-only journals, and a full disk: one line each, and nothing is lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memoryserver.common import files
from tests.memorycli.commands.test_ghap import RESOLVE, START
from tests.support.laptops.laptop import Laptop


def test_damaged_active_entry_is_one_line_and_kept(memory: Laptop) -> None:
    memory(*START)
    (memory.journal / "current_ghap.json").write_text("{")
    said = memory(*RESOLVE)
    (backup,) = memory.journal.glob("*.corrupted.*")
    assert said.status == 1
    assert said.err == (
        "memory: no GHAP entry is active; begin one with: memory ghap start (current_ghap.json was damaged "
        "(invalid JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)); "
        f"it is kept as {backup.name})\n"
    )
    (memory.journal / "current_ghap.json").write_text("{")
    said = memory("ghap", "show")
    assert (said.status, said.out[:23]) == (0, "no GHAP entry is active")
    assert said.err.startswith("memory: note: current_ghap.json was damaged")


def test_journal_that_is_a_file_is_one_line(memory: Laptop) -> None:
    (memory.project / "file").write_text("")
    for words in (START, ("ghap", "show"), ("session", "show")):
        assert (
            memory(*words, "--journal", "file").err == "memory: the journal file cannot be used: it is not a folder\n"
        )


def test_locked_journal_is_one_line_that_names_the_holder(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    memory(*START)
    monkeypatch.setattr("time.monotonic", iter(range(0, 10_000, 5)).__next__)
    with files.lock(memory.journal / ".lock"):
        said = memory(*RESOLVE)
    assert said.status == 1
    assert re.fullmatch(r"memory: \S+ ?\S*/\.lock has been locked for more than 10 s by process \d+; .*\n", said.err)


FILES = ("current_ghap.json", "session_entries.jsonl", ".session_id", ".tool_count", "archive", ".lock")


CONTENTS = {
    "empty": b"",
    "bytes": bytes(range(256)),
    "a folder": None,
    "object": b'{"id": []}',
    "surrogate": b'"\\ud800"',
    "separators": "\u2028\x85".encode(),
}


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("name", FILES)
def test_no_damage_ends_in_a_traceback(name: str, kind: str, memory: Laptop) -> None:
    memory(*START)
    memory(*RESOLVE)
    memory("session", "start")
    memory(*START)
    path = memory.journal / name
    if path.is_dir():
        for inside in path.iterdir():
            inside.unlink()
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    content = CONTENTS[kind]
    path.mkdir() if content is None else path.write_bytes(content)
    for words in (
        ("ghap", "show"), ("ghap", "list", "--all"), ("session", "show"), ("ghap", "update", "--note", "n"), RESOLVE,
        ("session", "end"), START, ("session", "start"), ("ghap", "adopt"), ("ghap", "list", "--all"),
    ):  # fmt: skip
        said = memory(*words)
        assert said.status in (0, 1)
        assert said.status == 0 or re.fullmatch(r"memory: [^\n]+\n", said.err)


FAULTS = "from tests.support.laptops import faults; FAULTS = faults.install()\n"


CHANGES = (
    START,
    ("ghap", "update", "--note", "n"),
    RESOLVE,
    ("ghap", "abandon", "--reason", "r"),
    ("session", "start"),
    ("session", "end"),
)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


@pytest.mark.parametrize("words", CHANGES[1:])
def test_read_only_folder_is_one_line_and_can_still_be_looked_at(words: tuple[str, ...], memory: Laptop) -> None:
    memory(*START)
    before = contents(memory.journal)
    program = f"{FAULTS}FAULTS.make_read_only({str(memory.journal)!r})"
    said = memory.process(*words, program=program)
    assert (said.status, said.out) == (1, "")
    assert said.err == f"memory: the journal {memory.journal} cannot be used: Read-only file system\n"
    assert memory.process("ghap", "show", program=program).out.startswith("ghap_")
    assert contents(memory.journal) == before


def test_full_disk_is_one_line_and_loses_nothing(memory: Laptop) -> None:
    """No file may grow, which is what the system itself then says of any write."""
    limit = "import resource, signal\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
    no_copy = r"( \(\S+ has no copy in the home folder until it is delivered: .*\))?"
    entry = memory(*START, "--json").json()
    for words in CHANGES[1:]:
        said = memory.process(*words, program=limit)
        assert (said.status, said.out) == (1, "")
        assert re.fullmatch(rf"memory: the journal .* cannot be used: File too large{no_copy}\n", said.err)
        assert memory("ghap", "show", "--json").json() == entry
    memory(*RESOLVE)
    assert [item["id"] for item in memory("ghap", "list", "--json").json()] == [entry["id"]]


def test_narrow_terminal_encoding_does_not_end_in_a_traceback(memory: Laptop) -> None:
    memory(*START, "--goal", "日本 \u2028")
    said = memory.process("ghap", "show", PYTHONIOENCODING="ascii")
    assert (said.status, said.err) == (0, "")
    assert "\\u65e5\\u672c" in said.out
