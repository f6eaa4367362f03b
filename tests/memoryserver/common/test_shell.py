"""How shell commands are read."""

from __future__ import annotations

import shlex

import pytest

from memoryserver.common import shell


def test_no_more_than_the_first_4000_characters_are_read() -> None:
    (part,) = shell.read("a" * 5000).parts
    assert part.words == ("a" * 4000,)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("pytest -q", "pytest -q"),
        ("CI=1 A= .venv/bin/pytest -q", "pytest -q"),
        ("sudo -u me -E nice -n 5 env -i B=1 make", "make"),
        ("time -p timeout -k 5 60 stdbuf -oL make x", "make x"),
        ("uv run --with a --no-sync pytest", "pytest"),
        ("poetry run python3.12 -m pytest -q", "pytest -q"),
        ("npx -y tsc", "tsc"),
        ("python a.py", "python a.py"),
        ("python -m", "python -m"),
        ("command -v node", "command -v node"),
        ("env", "env"),
        ("uv run", "uv run"),
        ("A=1", ""),
        ("C:\\\\bin\\\\make x", "make x"),
    ],
)
def test_program_is_found_behind_wrappers_and_runners(command: str, words: str) -> None:
    (part,) = shell.read(command).parts
    assert " ".join(shell.program_words(part.words)) == words


def test_command_given_to_a_shell_takes_its_place() -> None:
    assert [part.words for part in shell.parts("a; sudo bash -lc 'b && c | d'; e")] == [
        *(("a",), ("b",), ("c",), ("d",), ("e",))
    ]
    nested = shlex.join(["sh", "-c", shlex.join(["sh", "-c", "sh -c a"])])
    assert [part.words for part in shell.parts(nested)] == [("sh", "-c", "a")]


def test_keywords_before_a_program_are_left_out() -> None:
    parts = shell.read("if ! a; then b; else c; fi; while d; do e; done; { f; }").parts
    assert [words for part in parts if (words := shell.without_keywords(part.words))] == [(name,) for name in "abcdef"]


@pytest.mark.parametrize(
    ("command", "words"), [("a && b | c", ["b", "c"]), ("a | b; c", ["c"]), ("a | b", ["a", "b"]), ("", [])]
)
def test_last_pipeline_begins_after_the_last_other_operator(command: str, words: list[str]) -> None:
    assert [part.words[0] for part in shell.last_pipeline(command)] == words


def test_space_around_a_command_is_left_out() -> None:
    (part,) = shell.read("  a b \n").parts
    assert (part.text, part.words) == ("a b", ("a", "b"))
