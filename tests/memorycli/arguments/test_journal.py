"""Running an action on a journal."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import pytest

from ghap.local import Journal
from memorycli.arguments import journal as arguments
from memorycli.errors import CommandError
from tests.support.laptops.journals import create


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(exit_on_error=False)
    arguments.add_journal_option(parser)
    return parser.parse_args(words)


def test_journal_is_created_where_it_is_missing(tmp_path: Path) -> None:
    args = parsed("--journal", str(tmp_path / "journal"))
    assert arguments.folder(args) == tmp_path / "journal"
    assert arguments.run(args, lambda journal: journal.journal_dir) == tmp_path / "journal"
    assert (tmp_path / "journal").is_dir()


def test_journal_that_is_only_read_is_not_created(tmp_path: Path) -> None:
    args = parsed("--journal", str(tmp_path / "journal"))
    assert arguments.read(args, Journal.get_session_id, "none") == "none"
    assert list(tmp_path.iterdir()) == []
    session_id = Journal(tmp_path / "journal").start_session()
    assert arguments.read(args, Journal.get_session_id, "none") == session_id


def test_empty_folder_is_wrong_usage() -> None:
    with pytest.raises(argparse.ArgumentError, match="the folder is empty"):
        parsed("--journal", " ")


def test_errors_of_the_journal_become_one_line_that_names_commands(tmp_path: Path) -> None:
    args = parsed("--journal", str(tmp_path))
    with pytest.raises(CommandError, match=r"^no GHAP entry is active; begin one with: memory ghap start --journal "):
        arguments.run(args, lambda journal: journal.abandon_ghap("r"))
    create(Journal(tmp_path))
    with pytest.raises(CommandError, match=r"is still active \(g\); first: memory ghap resolve STATUS"):
        arguments.run(args, create)


def test_file_in_place_of_the_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("")
    args = parsed("--journal", str(tmp_path / "journal"))
    with pytest.raises(CommandError, match="cannot be used: it is not a folder$"):
        arguments.run(args, Journal.start_session)


def test_notices_go_to_standard_error_or_into_the_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(journal: Journal) -> None:
        logging.getLogger("ghap.local").warning("a notice")
        raise ValueError("a reason")

    args = parsed("--journal", str(tmp_path))
    arguments.run(args, lambda _: logging.getLogger("ghap.local").warning("two\nlines"))
    assert capsys.readouterr().err == "memory: note: two lines\n"
    with pytest.raises(CommandError, match=r"^a reason \(a notice\)$"):
        arguments.run(args, fail)
    assert capsys.readouterr().err == ""
