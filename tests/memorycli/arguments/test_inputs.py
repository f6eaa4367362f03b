"""Argument types that several commands share."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

import pytest

from ghap.local import Domain, Strategy
from memorycli.arguments.inputs import choice, metavar, one_of, read_text, required_text
from memorycli.errors import CommandError


@pytest.mark.parametrize("word", ["read-the-error", "READ_THE_ERROR", " Read-The-Error "])
def test_member_is_found_by_its_value_in_any_case(word: str) -> None:
    assert choice(Strategy)(word) is Strategy.READ_THE_ERROR


def test_wrong_value_is_refused_with_the_nearest_and_all() -> None:
    with pytest.raises(
        argparse.ArgumentTypeError, match=r"^'debuging' is unknown; did you mean debugging\? choose one"
    ):
        choice(Domain)("debuging")
    with pytest.raises(argparse.ArgumentTypeError, match=r"^'x y' is unknown; choose one of debugging, "):
        choice(Domain)("x\ny")


def test_values_are_listed_for_help_and_completion() -> None:
    assert choice(Domain).words == tuple(one_of(Domain).split(", "))
    assert metavar(Domain) == "DOMAIN"


def test_text_is_itself_or_comes_from_a_file_or_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text").write_bytes(b"of a file\xff\n\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"of standard input\n")))
    assert read_text(None, "--goal") is None
    assert read_text("words", "--goal") == "words"
    assert read_text("@@home", "--goal") == "@home"
    assert read_text(f"@{tmp_path}/text", "--goal") == "of a file\ufffd\n"
    assert required_text("-", "--goal") == "of standard input"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (" ", r"--goal is empty$"),
        ("-", r"--goal is empty \(standard input was empty; it can be read once\)"),
        ("@missing", r"cannot read 'missing' for --goal: No such file or directory; begin the text with '@@'"),
        ("@a\0b", r"cannot read 'a\\x00b' for --goal: embedded null byte"),
    ],
)
def test_empty_text_and_unreadable_file_are_errors(
    value: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(CommandError, match=message):
        read_text(value, "--goal")
