"""How shell commands are read."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common import shell


def read(command: str) -> list[tuple[str, ...]]:
    return [(part.before, *part.words) for part in shell.read(command).parts]


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("", []),
        (";;", []),
        ("a b", [("", "a", "b")]),
        ("a&&b||c;d|e|&f&g", [("", "a"), ("&&", "b"), ("||", "c"), (";", "d"), ("|", "e"), ("|&", "f"), ("&", "g")]),
        ("a\nb\n\nc", [("", "a"), (";", "b"), (";", "c")]),
        ("a &&\n  b", [("", "a"), ("&&", "b")]),
        ("a \\\n b", [("", "a", "b")]),
        ("a 'b c'\"d $e\"f", [("", "a", "b cd $ef")]),
        ("a '' \"\"", [("", "a", "", "")]),
        ('a "b\\"c" d\\ e', [("", "a", 'b"c', "d e")]),
        ("a '&&' b", [("", "a", "&&", "b")]),
        ("a # b && c\nd", [("", "a"), (";", "d")]),
        ("a#b", [("", "a#b")]),
        ("a $(b | c) `d; e` <(f | g)", [("", "a", "$(b | c)", "`d; e`", "<(f | g)")]),
        ("a > b 2>&1 < c 2>>d &>e", [("", "a")]),
        ("a 2 > b", [("", "a", "2")]),
        ("a '2'> b", [("", "a", "2")]),
        ("cat <<X | wc\na && b\nX\nc", [("", "cat"), ("|", "wc"), (";", "c")]),
        ("cat <<-'END' > f\n\ta\n\tEND\nb", [("", "cat"), (";", "b")]),
        ("a <<< 'b c' d", [("", "a", "d")]),
        ("a && (b; c) || d", [("", "a"), ("&&", "b"), (";", "c"), ("||", "d")]),
    ],
)
def test_command_is_read_into_simple_commands(command: str, parts: list[tuple[str, ...]]) -> None:
    assert read(command) == parts
    assert shell.read(command).is_complete


@pytest.mark.parametrize("command", ["a 'b", 'a "b', "a $(b", "a `b", "a <(b"])
def test_open_quote_or_bracket_is_reported(command: str) -> None:
    assert not shell.read(command).is_complete


@pytest.mark.parametrize(("command", "end"), [("a", ""), ("a;", ";"), ("a &", "&"), ("a |", "|")])
def test_operator_after_the_last_command_is_kept(command: str, end: str) -> None:
    assert shell.read(command).end == end


def test_brackets_are_reported() -> None:
    assert shell.read("(a)").is_grouped
    assert not shell.read("a '(b)' $(c)").is_grouped


@pytest.mark.parametrize(
    ("command", "writes"),
    [
        *(("a > b", True), ("a >> b", True), ("a 1>b", True), ("a &>> b", True), ("a >&b", True), ("> b", True)),
        *(("a 2> b", False), ("a >&2", False), ("a > /dev/null", False), ("a < b", False), ("a '>' b", False)),
    ],
)
def test_output_that_goes_into_a_file_is_reported(command: str, writes: bool) -> None:
    assert [part.writes for part in shell.read(command).parts] == [writes]


def test_text_of_a_part_is_as_it_was_written() -> None:
    command = "cd 'a b' && CI=1 pytest  -q > o # x"
    assert [part.text for part in shell.read(command).parts] == ["cd 'a b'", "CI=1 pytest  -q > o # x"]


def test_no_more_than_the_first_4000_characters_are_read() -> None:
    assert read("a" * 5000) == [("", "a" * 4000)]


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


@given(st.lists(st.text(max_size=8), min_size=1, max_size=6))
def test_quoted_words_are_read_as_they_are(words: list[str]) -> None:
    command = shlex.join(["a", *words])
    (part,) = shell.read(command).parts
    assert part.words == ("a", *words)


@given(st.text() | st.text("ab '\"\\$`#&|;<>()-=\n", max_size=30))
def test_any_text_is_read_without_failing(command: str) -> None:
    script = shell.read(command)
    assert all(part.words or part.writes for part in script.parts)
    assert all(part.text in command for part in script.parts)
